"""What the command line does, one module for each thing: options, data, words, results, progress."""
