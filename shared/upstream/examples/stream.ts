/** Streams an answer, and says what it cost: `node stream.ts --base … --key … --model … "What is a fjord?"` */
import { costOf, dollars } from '../index.ts';
import { fromCommandLine } from './client.ts';

const { upstream, model, words } = fromCommandLine();
const question = words.join(' ') || 'What is a fjord?';

for await (const event of upstream.chat.stream({ model, messages: [{ role: 'user', content: question }] })) {
  if (event.type === 'text') process.stdout.write(event.text);
  if (event.type !== 'end') continue;
  const { finish, usage } = event;
  const pricing = (await upstream.models.get(model))?.pricing;
  const cost = usage === undefined ? undefined : costOf(usage, pricing);
  const price = cost === undefined || cost.unknown.length > 0 ? 'an unknown price' : `$${dollars(cost.atto)}`;
  process.stdout.write(`\n(${finish}, ${usage?.completionTokens ?? 'unknown'} tokens, ${price})\n`);
}
await upstream.close();
