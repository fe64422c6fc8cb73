"""The operations on a running channel and on its sessions."""
