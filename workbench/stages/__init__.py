"""What Workbench can do; the only place that joins the rooms. The command line and the screens call these."""
