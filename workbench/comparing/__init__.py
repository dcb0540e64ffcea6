"""Two assessments or many: differences, means, pairs."""
