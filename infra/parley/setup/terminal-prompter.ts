import { isCancel, multiselect, password, select, text } from '@clack/prompts';
import type { Readable, Writable } from 'node:stream';
import { findAnswerProblem, type Prompter, type Question, SetupError } from './question.ts';

/** The streams of the terminal. */
export type Streams = { readonly input: Readable; readonly output: Writable };

/** Asks a person at the terminal. Rejects with SetupError when they press Ctrl+C. */
export const createTerminalPrompter = (streams: Streams): Prompter => ({
  isInteractive: true,
  async ask(question) {
    const answer = await prompt(question, streams);
    if (isCancel(answer) || answer === undefined)
      throw new SetupError('Stopped. The same command continues here.');
    return Array.isArray(answer) ? answer.join(',') : answer.trim();
  },
});

async function prompt(question: Question, streams: Streams) {
  const { kind, message, choices = [], initial, isOptional = false } = question;
  const options = choices.map(({ value, label }) => ({ value, label }));
  const validate = (answer: string | undefined) => findAnswerProblem(question, (answer ?? '').trim());
  switch (kind) {
    case 'choice':
      return await select({
        ...streams,
        message,
        options,
        ...(initial !== undefined && { initialValue: initial }),
      });
    case 'choices':
      return await multiselect({
        ...streams,
        message,
        options,
        required: !isOptional,
        ...(initial !== undefined && { initialValues: initial.split(',') }),
      });
    case 'secret':
      return (await password({ ...streams, message, validate })) ?? '';
    case 'text':
      return (
        (await text({
          ...streams,
          message,
          validate,
          ...(initial !== undefined && { initialValue: initial }),
        })) ?? ''
      );
  }
}
