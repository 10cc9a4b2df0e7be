interface Words {
  list: string[];
  quote: string;
  table: string[];
  /** One that is done, and one that was dropped. */
  tasks: [string, string];
}

/** A bit of everything that an answer can hold; the prose comes in the language of the reader. */
export function markdownSample(intro: string, { list, quote, table, tasks }: Words): string {
  return `## Markdown

${intro}

${list.map((item) => `- ${item}`).join("\n")}

1. Ichi
2. Ni
   - Ni no ichi
3. San

> ${quote}

| ${table.join(" | ")} |
| --- | ---: | :---: |
| filesystem | 14 | ✓ |
| memory | 9 | ✓ |
| sequential-thinking | 1 | – |

\`\`\`ts
export async function* countTo(end: number): AsyncGenerator<number> {
  for (let n = 1; n <= end; n++) yield n; // one at a time
}
\`\`\`

\`\`\`python
def fibonacci(n: int) -> list[int]:
    numbers = [0, 1]
    while len(numbers) < n:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:n]
\`\`\`

- [x] ${tasks[0]}
- [ ] ~~${tasks[1]}~~

---
`;
}
