import { userId, workspaceId } from '../../shared/domain/index.ts';
import { tokenOf } from '../soak/models.ts';
import type { Deployment } from './deployment.ts';
import {
  askInSlack,
  type DeploymentScript,
  deploymentStory,
  isUndisturbed,
  tenantOf,
} from './deployment-story.ts';
import { messagesSeen, personIn, pressButton, type, untilDone } from './person-actions.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Story } from './story.ts';

/** Administrators allow memory; the person has turned it on. */
const FEATURES: DeploymentScript['features'] = { hasTools: true, settings: { memory: 'on' } };

async function turnMemoryOn(harness: Deployment): Promise<void> {
  const user = userId(personIn(harness));
  const place = { platform: 'slack', workspace: workspaceId(tenantOf(harness, 0).tenant), user } as const;
  await harness.system().context.settingsStore.change(place, 'person', {
    change: { kind: 'value', level: 'person', setting: 'memoryOptIn', value: true },
    edit: (layer) => ({ ...layer, values: { ...layer.values, memoryOptIn: true } }),
    by: user,
  });
}

/** What is stored about people, as JSON. */
const factsIn = ({ memory }: Deployment): readonly string[] =>
  memory
    .items('conversations')
    .filter(({ pk }) => pk?.S?.startsWith('FACTS#'))
    .map(({ facts }) => facts?.S ?? '[]')
    .filter((facts) => facts !== '[]');

const countFacts = (harness: Deployment): number => factsIn(harness).join('').split('"id"').length - 1;

/** A person asks, and the model remembers something about them before it answers. */
const REMEMBER: DeploymentScript = {
  features: FEATURES,
  act: async (harness) => {
    await turnMemoryOn(harness);
    await askInSlack(harness, 0, 1);
  },
  answered: [tokenOf(1, 0, 0)],
  wrong: (harness) => {
    const count = countFacts(harness);
    // The step of the answer names the fact, to delete it.
    const commands = new Set(JSON.stringify(messagesSeen(harness)).match(/memory delete \w+/gu));
    return [
      ...(count <= 1 ? [] : [`${count} facts`]),
      ...(commands.size > count ? ['the person is told of a fact that is not stored'] : []),
      ...(isUndisturbed(harness) && (count !== 1 || commands.size !== 1) ? ['nothing is remembered'] : []),
    ];
  },
};

const isErased = ({ memory }: Deployment): boolean =>
  memory.hasItem('conversations', ({ pk }) => pk?.S?.startsWith('ERASED#') === true);

/** The person has everything erased while the model remembers something about them. */
const FORGET: DeploymentScript = {
  features: FEATURES,
  act: async (harness) => {
    await turnMemoryOn(harness);
    await askInSlack(harness, 0, 1);
    await harness.pass(300);
    await untilDone(
      () => isErased(harness),
      async () => {
        await type(harness, 'forget me');
        await harness.pass(1_000);
        await pressButton(harness, /forget\.me/u);
        await harness.pass(30_000);
      },
    );
  },
  wrong: (harness) => {
    if (!isErased(harness))
      return harness.hasDeadLetters || !isUndisturbed(harness) ? [] : ['nothing is erased'];
    const person = personIn(harness);
    const left = harness.memory
      .items('conversations')
      .filter(({ by, body, ask }) => by?.S === person && (body !== undefined || ask !== undefined));
    return [
      ...factsIn(harness).map((facts) => `after the erasure it remembers ${facts}`),
      ...left.map((item) => `${JSON.stringify(item)} is left`),
    ];
  },
};

export const MEMORY_STORIES: readonly Story[] = [
  deploymentStory('memory-remember', REMEMBER),
  deploymentStory('memory-forget', FORGET),
];

/** The story that detects a bug of this kind, with the bug or without. */
export const memoryBug = (bug: SeededBug, isSeeded: boolean): Story | undefined =>
  bug === 'an erasure has no second pass'
    ? deploymentStory(`bug-${bug}`, FORGET, isSeeded ? bug : undefined)
    : undefined;
