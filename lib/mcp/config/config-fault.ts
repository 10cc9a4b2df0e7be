/** What is wrong with the configuration file, in one sentence; `line` counts from 1. */
export class ConfigFault extends Error {
  override name = "ConfigFault";
  constructor(
    message: string,
    readonly line: number | null = null,
  ) {
    super(message);
  }
}
