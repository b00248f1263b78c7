"""XML files: assessments, submissions and documents."""
