/** Pieces of Markdown that show what the chat makes of them. */
export const MARKDOWN = `# A little of everything

Words can be **bold**, *italic*, ~~struck out~~ or \`code\`, and a [link](https://example.com/docs) leads elsewhere.

1. First, a numbered list
2. with a second step
   - and a point below it

> A quotation stands apart from the rest.

| Fruit | Colour | Count |
|---|---|---:|
| Apple | red | 3 |
| Pear | green | 12 |

\`\`\`ts
const total = [3, 12].reduce((sum, n) => sum + n, 0);
console.log(total); // 15
\`\`\`
`;

export const TABLE = `Here they are side by side:

| Plan | Messages a day | Good for |
|---|---:|---|
| Small | 100 | a handful of people |
| Middle | 1,000 | a team |
| Large | 10,000 | a whole company |

The middle one suits most teams.`;

export const JOKE = `Why do programmers mistake Halloween for Christmas? Because **Oct 31 = Dec 25**.`;

export const POEM = `Messages at dusk,
a thread remembers the day.
The cursor still blinks.`;
