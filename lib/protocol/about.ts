/** What one should know of this installation, read from its own files. */
export interface About {
  version: string;
  node: string;
  sqlite: string;
  conformance: ConformanceScore[];
  /** Of the packages that the application is made of, tools of its development apart; most used license first. */
  licenses: LicenseGroup[];
}

/** One column of the table in docs/conformance.md, of the whole application. */
export interface ConformanceScore {
  /** What a revision of the protocol requires, or all that a version of the suite has. */
  scope: "required" | "all";
  /** The revision or the version. */
  of: string;
  passed: number;
  total: number;
}

export interface LicenseGroup {
  /** SPDX expression, as the package states it; empty where it states none. */
  license: string;
  /** `name version` */
  packages: string[];
}

/** A page of the documentation, as its address names it. */
export type DocName =
  | "readme"
  | "agent-loop"
  | "agents"
  | "skills"
  | "http-api"
  | "architecture"
  | "conformance"
  | "benchmarks"
  | "glossary"
  | "contributing"
  | "changelog"
  | "license";
