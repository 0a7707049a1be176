import type { SlackSimulator } from '../simulators/slack/index.ts';

type Person = {
  /** The ephemeral message with these words that an act shows to a person. */
  readonly notice: (name: string, words: RegExp, act: () => Promise<unknown>) => Promise<unknown>;
  /** The open modal of a person. */
  readonly form: (name: string) => Promise<unknown>;
};

/** A message of a person with this text, which an administrator adds to the knowledge of the channel. */
export async function leaveDocument(
  slack: SlackSimulator,
  name: string,
  text: string,
  { notice, form }: Person,
): Promise<void> {
  await notice('ada', /knowledge/u, () =>
    slack.command('ada', '/parley settings tools knowledge for:workspace'),
  );
  const message = await slack.say(name, `The rule is ${text}.`);
  await slack.shortcut('ada', 'more-actions', message);
  await form('ada');
  await notice('ada', new RegExp(`${text}.* is added`, 'u'), () =>
    slack.submit('ada', { action: 'knowledge' }),
  );
}
