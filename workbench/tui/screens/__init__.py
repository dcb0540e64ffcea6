"""What fills the terminal: the queue, the review, and the small dialogs over them."""
