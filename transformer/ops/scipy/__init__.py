"""Functions of scipy. The modules here are imported when one of their functions is met, so that `import transformer` stays light."""
