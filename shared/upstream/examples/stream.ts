/** Streams an answer and prints its cost: `node stream.ts --base … --key … --model … "What is a fjord?"` */
import { calculateCost, toDecimalDollars } from '../index.ts';
import { createFromCommandLine } from './client.ts';

const { upstream, model, words } = createFromCommandLine();
const question = words.join(' ') || 'What is a fjord?';

for await (const event of upstream.chat.stream({ model, messages: [{ role: 'user', content: question }] })) {
  if (event.type === 'text') process.stdout.write(event.text);
  if (event.type !== 'end') continue;
  const { finish, usage } = event;
  const pricing = (await upstream.models.get(model))?.pricing;
  const cost = usage === undefined ? undefined : calculateCost(usage, pricing);
  const price =
    cost === undefined || cost.unpriced.length > 0 ? 'an unknown price' : `$${toDecimalDollars(cost.atto)}`;
  process.stdout.write(`\n(${finish}, ${usage?.completionTokens ?? 'unknown'} tokens, ${price})\n`);
}
await upstream.close();
