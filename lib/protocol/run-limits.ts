/** Of the arguments of all calls of one turn, in characters as the model writes them. */
export const maxArgumentCharacters = 1_000_000;
/** Objects and lists within each other. */
export const maxArgumentDepth = 100;
