"""Files of one row a line: run files and qrels."""
