export const tokenGapMs = 50;
