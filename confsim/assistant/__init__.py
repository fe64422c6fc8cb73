"""A world for coding assistants: tools that are derived from the declarations, over the Model Context Protocol."""
