"""Code that all subpackages share: errors and warnings, messages, tables as text, array types, options of a run."""
