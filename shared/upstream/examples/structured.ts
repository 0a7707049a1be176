/** Requests a value that fits a schema: `node structured.ts --base … --model … "Oslo has 700,000 people"` */
import { createFromCommandLine } from './client.ts';

const { upstream, model, words } = createFromCommandLine();
const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 0 } },
  required: ['city', 'people'],
  additionalProperties: false,
};
const content = words.join(' ') || 'Oslo has 700,000 people.';
const { value, completions } = await upstream.chat.structured({
  model,
  name: 'city',
  schema,
  messages: [{ role: 'user', content }],
});
process.stdout.write(`${JSON.stringify(value)} (${completions.length} completions)\n`);
await upstream.close();
