"""The operations on configuration documents and settings templates."""
