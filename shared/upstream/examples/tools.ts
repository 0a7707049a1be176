/** Lets the model call a tool, and answers the call: `node tools.ts --base … --model … "What time is it?"` */
import { type Message, readArguments, type Tool } from '../index.ts';
import { fromCommandLine } from './client.ts';

const { upstream, model, words } = fromCommandLine();
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
  const read = readArguments(call, clock.parameters);
  // What is wrong with the arguments is for the model to know, and to mend.
  const content = read.ok
    ? `${JSON.stringify(read.value)}: 12:34`
    : `Wrong arguments: ${read.complaints.join('; ')}`;
  process.stdout.write(`${call.name}(${call.arguments}) -> ${content}\n`);
  return { role: 'tool', toolCallId: call.id, content };
});
const called: Message = { role: 'assistant', content: first.text, toolCalls: first.toolCalls };
const second = await upstream.chat.complete({
  model,
  messages: [question, called, ...answers],
  tools: [clock],
  toolChoice: 'none',
});
process.stdout.write(`${second.text}\n`);
await upstream.close();
