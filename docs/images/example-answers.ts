/** Answers that the simulated model gives in the pictures, written by hand, and the words of a recording. */

export const EXAMPLE_COMPARISON = `For 40 people, **Team** fits:

| Plan | People | Price a month | Single sign-on |
|---|---:|---:|---|
| Starter | 10 | $49 | no |
| **Team** | 50 | $199 | yes |
| Company | no limit | $899 | yes |

*Company* pays off from about 180 people.`;

export const EXAMPLE_PLAN = `About a day of work, in three steps:

1. **Switch the plan** in the billing settings. Nothing changes for people yet.
2. **Connect single sign-on**, and try it with two accounts.
3. **Invite everybody** by their address, a department at a time, so that questions come in small numbers and you can answer them before the next department starts.`;

export const EXAMPLE_RECORDING =
  'hello ada the customer moved the demo to thursday at ten please update the slides and send me the numbers before wednesday evening';

export const EXAMPLE_TASKS = `Grace needs two things from you:

- the **numbers**, before Wednesday evening
- the **updated slides**, for the demo on Thursday at ten`;

export const EXAMPLE_CODE = `Wrap it in a loop that waits longer after each failure:

\`\`\`ts
async function download(url: string): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(url);
    if (response.status < 500 || attempt === 4) return response;
    await setTimeout(2 ** attempt * 250);
  }
}
\`\`\`

It gives up after **five** attempts. A client error, such as 404, is not repeated.`;

/** What people wrote in the channel before. */
export const EXAMPLE_CHAT = [
  ['grace', 'Good morning! The release went out last night, no complaints so far.'],
  ['ada', 'Great work. I am writing the offer for Northwind today.'],
] as const;
