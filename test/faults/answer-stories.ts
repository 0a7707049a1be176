import { userId, workspaceId } from '../../shared/domain/index.ts';
import { tokenOf } from '../soak/models.ts';
import type { Deployment } from './deployment.ts';
import {
  type DeploymentScript,
  deploymentStory,
  countLatePosts,
  isCard,
  isUndisturbed,
  question,
  tenantOf,
  toldBy,
  askInSlack,
} from './deployment-story.ts';
import { messagesSeen, personIn, pressButton, untilDone } from './person-actions.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Story } from './story.ts';

const CARD = '4111 1111 1111 1111';
const MAIL = 'ada.lovelace@example.com';
const PRIVATE = /4111|ada\.lovelace/u;

/** Administrators of the workspace have private data masked. */
async function maskAll(harness: Deployment): Promise<void> {
  const by = userId(personIn(harness));
  const place = { platform: 'slack', workspace: workspaceId(tenantOf(harness, 0).tenant) } as const;
  await harness.system().context.settingsStore.change(place, 'workspace', {
    change: { kind: 'value', level: 'workspace', setting: 'mask', value: ['all'] },
    edit: (layer) => ({ ...layer, values: { ...layer.values, mask: ['all'] } }),
    by,
  });
}

/** A person asks with private data, and the model searches the web for it. */
const MASKED: DeploymentScript = {
  features: { tools: ['search'] },
  act: async (harness) => {
    await maskAll(harness);
    const { sim } = tenantOf(harness, 0);
    const text = question(1).replace('parley', sim.identity.botName);
    await toldBy(
      harness,
      0,
      () => void sim.say(personIn(harness), `${text} My card is ${CARD}, my address ${MAIL}.`),
    );
  },
  answered: [tokenOf(1, 0, 0)],
  wrong: ({ prompts, search }) => [
    ...prompts.filter((prompt) => PRIVATE.test(prompt)).map(() => 'private data is in a prompt'),
    ...search.queries
      .filter((query) => PRIVATE.test(query))
      .map((query) => `private data is searched: ${query}`),
    ...(prompts.every((prompt) => prompt.includes('[card 1]')) ? [] : ['nothing is masked']),
  ],
};

/** The messages with the answer as a file. */
const filesIn = (harness: Deployment) => messagesSeen(harness).filter(({ files = [] }) => files.length > 0);

/** A person presses the button that posts the answer as a file: twice at once, as with a double click, and again until they see it. */
const FILE: DeploymentScript = {
  features: { settings: { answerFiles: 'all' } },
  act: async (harness) => {
    await askInSlack(harness, 0, 1);
    let presses = 0;
    await untilDone(
      () => filesIn(harness).length > 0,
      async () => {
        await harness.pass(30_000);
        if (!(await pressButton(harness, /file\.text/u))) return;
        if (presses === 0) await pressButton(harness, /file\.text/u);
        presses += 1;
        await harness.pass(30_000);
      },
    );
  },
  answered: [tokenOf(1, 0, 0)],
  wrong: (harness) => {
    const files = filesIn(harness).length;
    // Each may post the file after the next process has looked for it.
    const late = harness.processes.trace.filter((line) =>
      line.endsWith('files.completeUploadExternal !! die-late'),
    ).length;
    return [
      ...(files <= 1 + late ? [] : [`the file is posted ${files} times`]),
      ...(isUndisturbed(harness) && files !== 1 ? [`${files} files`] : []),
    ];
  },
};

/** The cards that link to a canvas, and the canvases that somebody can open. */
const canvasCardsIn = (harness: Deployment) =>
  messagesSeen(harness).filter((message) => isCard(message, '#canvas#'));
const canvasesIn = (harness: Deployment) =>
  [...tenantOf(harness, 0).sim.state.files.values()].flatMap(({ file, content }) => {
    const { id, canvas, deleted = false } = file;
    const isVisible = canvas !== undefined && !deleted && canvas.channels.length + canvas.users.length > 0;
    return isVisible ? [{ id, ...canvas, text: Buffer.from(content, 'base64').toString() }] : [];
  });
const noticesIn = (harness: Deployment) =>
  messagesSeen(harness).filter(({ ephemeralTo }) => ephemeralTo !== undefined);

/** A person presses the button that makes a canvas of the answer: as often at once as `clicks` says, and again until they are told. */
const canvas = (clicks: 1 | 2): DeploymentScript => ({
  features: { settings: { answerFiles: 'all' } },
  act: async (harness) => {
    await askInSlack(harness, 0, 1);
    let presses = 0;
    await untilDone(
      () => canvasesIn(harness).length > 0 && noticesIn(harness).length > 0,
      async () => {
        await harness.pass(30_000);
        if (!(await pressButton(harness, /file\.canvas/u))) return;
        if (presses === 0 && clicks === 2) await pressButton(harness, /file\.canvas/u);
        presses += 1;
        await harness.pass(30_000);
      },
    );
  },
  answered: [tokenOf(1, 0, 0)],
  wrong: (harness) => {
    const { channel } = tenantOf(harness, 0).sim;
    const canvases = canvasesIn(harness);
    const cards = canvasCardsIn(harness);
    const isWhole = isUndisturbed(harness);
    return [
      ...(canvases.length <= 1 ? [] : [`${canvases.length} canvases are visible`]),
      ...canvases.flatMap(({ id, channels, users, text }) => [
        ...(channels.join() === channel && users.length === 0 ? [] : ['others can open the canvas']),
        ...(text.includes(tokenOf(1, 0, 0)) ? [] : ['the canvas lacks the answer']),
        ...(cards.some(({ blocks }) => JSON.stringify(blocks).includes(id))
          ? []
          : ['no message links to the canvas']),
      ]),
      ...(cards.length <= 1 + countLatePosts(harness) ? [] : [`${cards.length} cards`]),
      ...(isWhole && (canvases.length !== 1 || noticesIn(harness).length !== clicks)
        ? ['it was not made']
        : []),
      ...(canvases.length > 0 && noticesIn(harness).length === 0 && !harness.hasDeadLetters
        ? ['nobody is told how it ended']
        : []),
    ];
  },
});

export const ANSWER_STORIES: readonly Story[] = [
  deploymentStory('private-data', MASKED),
  deploymentStory('answer-file', FILE),
  deploymentStory('answer-canvas', canvas(2)),
];

const BUGS: Partial<Record<SeededBug, DeploymentScript>> = {
  'without the table nothing is masked': MASKED,
  'an earlier file is not searched': FILE,
  // A second click would show it without a fault.
  'an earlier canvas is not searched': canvas(1),
};

/** The story that detects a bug of this kind, with the bug or without. */
export const answerBug = (bug: SeededBug, isSeeded: boolean): Story | undefined =>
  BUGS[bug] && deploymentStory(`bug-${bug}`, BUGS[bug], isSeeded ? bug : undefined);
