"""What the exam of the tools that learn is made of: the truth of the services, the draws, and how runs are judged."""
