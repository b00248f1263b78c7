"""The built-in sample's generator: documents, judgements and runs of INEX 2005's shape, made from a seed."""
