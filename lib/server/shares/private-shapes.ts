import type { SecretKind } from "@/lib/protocol/secret-shapes";
import type { RedactedKind } from "@/lib/protocol/share-policy";

/** Of addresses whose host may be a single word. */
const schemes =
  "https?|wss?|s?ftp|ssh|git|smb|nfs|tcp|udp|postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|ldaps?|kafka|nats|grpcs?|s3|mqtts?";
/** A part of a path; spaces end it. */
const letter = "[^\\s/\\\\\"'`<>|*?:;,()[\\]{}+]";
const name = `${letter}{1,200}`;

/**
 * The shapes of what tells who somebody is and where: e-mail addresses, hosts and addresses of a private network, folders of a
 * machine. As with secrets a hit is a question to a person, and each is read in linear time. What only stands for
 * something, as example.com and localhost, says nothing, nor do version numbers and members of code.
 */
export const privateShapes: readonly [kind: Exclude<RedactedKind, SecretKind>, pattern: RegExp][] = [
  [
    "e-mail address",
    new RegExp(
      [
        "(?<![\\w.%+-])(?!git@)[a-z0-9_%+-][\\w.%+-]{0,63}@",
        "(?!(?:[a-z0-9-]{1,63}\\.){0,4}(?:example\\.(?:com|net|org)|example|test|invalid|localhost)(?![\\w-]))",
        // A version (`react@18.2.0-rc.beta`) is no domain.
        "(?!\\d+\\.\\d)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.){1,8}[a-z]{2,24}(?![\\w-])",
      ].join(""),
      "gi",
    ),
  ],
  [
    "internal host",
    new RegExp(
      [
        // With a name of its own only in an address: `http://jenkins:8080`, but not `http://localhost`.
        `(?<=(?<![a-z])(?:${schemes})://(?:[^\\s/@"'<>]{0,100}@)?)`,
        "(?!(?:localhost|host|hostname|server|domain|example)(?![\\w-]))[a-z][a-z0-9-]{0,62}(?::\\d{2,5})?(?![\\w.:@%{$-])",
        // A service on a port that everybody knows.
        "|(?<![\\w.:/@-])(?!(?:localhost|host|hostname|port|ports|line|example)(?![\\w-]))[a-z][a-z0-9-]{1,62}:",
        "(?:1433|1521|2375|2379|3306|4222|5432|5672|6379|6443|8080|8081|8443|9000|9090|9092|9200|9300|11211|27017)(?![\\w.:-])",
        // By the end of the name. `this.local`, `config.local.ts` and `x.internal()` are code.
        "|(?<![\\w.@$-])(?!(?:this|self|super|module|process|window|global|config|settings|state|props|options|java|sun|com|org)\\.(?:local|internal)(?![\\w-]))",
        "[a-z0-9][a-z0-9-]{0,62}(?:\\.[a-z0-9][a-z0-9-]{0,62}){0,5}",
        "\\.(?:local|localdomain|internal|intranet|corp|lan|home\\.arpa)(?::\\d{2,5})?(?![\\w([]|-\\w|\\.\\w| ?=[^=])",
      ].join(""),
      "gi",
    ),
  ],
  [
    "private address",
    new RegExp(
      [
        "(?<![\\w.-])(?:10\\.#|192\\.168|172\\.(?:1[6-9]|2\\d|3[01])|169\\.254|100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7]))\\.#\\.#",
        "(?![\\w-]|\\.\\d)(?::\\d{2,5}(?!\\d))?",
        // Unique local and link-local ones of IPv6.
        "|(?<![\\w:.])(?=[0-9a-f:]{0,40}::|(?:[0-9a-f]{1,4}:){7})(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f])(?::[0-9a-f]{0,4}){2,7}(?![\\w:])",
      ]
        .join("")
        .replaceAll("#", "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)"),
      "gi",
    ),
  ],
  [
    "local path",
    new RegExp(
      [
        // Of another machine than this: what is here has a name by then. `https://a.example/home/x` is none.
        `(?<![\\w./~:%\\]-])(?:file://)?/(?:home|Users|root|srv|mnt|media|Volumes)/${name}(?:/${name})*/?(?<!\\.)`,
        // Also as JSON writes it, where `A:\\nText` is a break.
        `|(?<!\\w)(?:file:///)?(?:[CD]|[E-Z](?!:\\\\[nrt])):(?:\\\\{1,2}|/(?=Users/))(?=${letter}{2})${name}(?:(?:\\\\{1,2}|/)${name})*`,
        `|(?<![\\w\\\\])\\\\{2}[A-Za-z][\\w-]{1,62}(?:\\\\{1,2}${name})+`,
      ].join(""),
      "g",
    ),
  ],
];
