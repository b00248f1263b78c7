"""Code that all subpackages use: errors and warnings, messages, text tables, array types and run options."""
