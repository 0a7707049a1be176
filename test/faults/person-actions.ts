import type { Message } from '../simulators/slack/state.ts';
import { pressable } from '../simulators/slack/block-ids.ts';
import { blocksOf } from '../simulators/slack/present.ts';
import { stringOf } from '../simulators/slack/state.ts';
import type { Deployment } from './deployment.ts';
import { PERSON, tenantOf } from './deployment-story.ts';

/** The id of the person in the first workspace. */
export const personIn = (harness: Deployment): string =>
  tenantOf(harness, 0).sim.identity.users[PERSON]?.id ?? '';

/** The person types a command in the channel. */
export async function type(harness: Deployment, line: string): Promise<void> {
  const { sim } = tenantOf(harness, 0);
  const fields = sim.command(personIn(harness), `/parley ${line}`, sim.channel);
  await harness.slackForm(
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, stringOf(value)])),
  );
}

/** The messages in the channel that the person sees, the latest first. */
export const messagesSeen = (harness: Deployment): Message[] => {
  const { sim } = tenantOf(harness, 0);
  const person = personIn(harness);
  return [...(sim.state.messages.get(sim.channel)?.values() ?? [])]
    .filter(({ ephemeralTo }) => ephemeralTo === undefined || ephemeralTo === person)
    .toReversed();
};

/** The person presses the first button that matches on the latest message with one. Returns whether there was one. */
export async function pressButton(harness: Deployment, what: RegExp): Promise<boolean> {
  const { sim } = tenantOf(harness, 0);
  for (const message of messagesSeen(harness)) {
    const button = pressable(blocksOf(message)).find(({ json }) => what.test(JSON.stringify(json)));
    if (!button) continue;
    const payload = JSON.stringify(
      sim.press(personIn(harness), message.ts, stringOf(button.json['action_id'])),
    );
    await harness.slackForm({ payload });
    return true;
  }
  return false;
}

/** A person does something again while they see no effect. */
export async function untilDone(isDone: () => boolean, act: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES && !isDone(); tries += 1) await act();
}

const MAX_TRIES = 12;
