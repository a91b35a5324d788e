"""Every sentence that a derived answer shows, by what it is about. The rest of derive/ decides and has no words."""
