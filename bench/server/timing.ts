export const tokensASecond = 20;

/** On a clock that all processes of the machine share, in µs. */
export const nowUs = (): number => Math.round(Number(process.hrtime.bigint()) / 1_000);
