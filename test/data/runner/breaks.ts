throw new Error("It cannot be loaded");
