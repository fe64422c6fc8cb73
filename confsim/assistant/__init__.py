"""Tools for coding assistants: derived from the declarations, over the Model Context Protocol."""
