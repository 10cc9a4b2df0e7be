/** What stands for the result of a call that nobody let run: its run was stopped, or the next question asked. */
export const leftOpenNote = "Not run: the person went on without it.";

/** What stands for the result of a call that was given up on its way. */
export const cancelledNote = "Stopped while the call was on its way; the server was told.";
