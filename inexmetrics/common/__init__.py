"""What every room stands on: errors, how things are worded and told, array types, and the setting work is done in."""
