"""The generator of the built-in sample: documents, judgements and runs similar to INEX 2005, generated from a seed."""
