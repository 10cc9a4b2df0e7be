/** Whether a field may take the focus by itself: with touch that brings up a keyboard over half the screen. */
export const hasFinePointer = (): boolean => matchMedia("(pointer: fine)").matches;
