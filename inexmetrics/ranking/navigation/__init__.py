"""How users navigate from results to ideal elements, and the number of ranks that users need."""
