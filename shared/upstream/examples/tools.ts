/** Lets the model call a tool and sends the result back: `node tools.ts --base … --model … "What time is it?"` */
import { type Message, parseToolArguments, type Tool } from '../index.ts';
import { createFromCommandLine } from './client.ts';

const { upstream, model, words } = createFromCommandLine();
const clock: Tool = {
  name: 'clock',
  description: 'The time at a place',
  parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
};
const question: Message = {
  role: 'user',
  content: words.join(' ') || 'What time is it in Oslo? Use the clock tool.',
};

const first = await upstream.chat.complete({
  model,
  messages: [question],
  tools: [clock],
  toolChoice: 'required',
});
const answers = first.toolCalls.map((call): Message => {
  const parsed = parseToolArguments(call, clock.parameters);
  // The model gets the validation errors, so that it can correct its arguments.
  const content = parsed.ok
    ? `${JSON.stringify(parsed.value)}: 12:34`
    : `Wrong arguments: ${parsed.errors.join('; ')}`;
  process.stdout.write(`${call.name}(${call.arguments}) -> ${content}\n`);
  return { role: 'tool', toolCallId: call.id, content };
});
const assistantMessage: Message = { role: 'assistant', content: first.text, toolCalls: first.toolCalls };
const second = await upstream.chat.complete({
  model,
  messages: [question, assistantMessage, ...answers],
  tools: [clock],
  toolChoice: 'none',
});
process.stdout.write(`${second.text}\n`);
await upstream.close();
