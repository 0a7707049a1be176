import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Interaction, Modal } from '../../shared/domain/index.ts';
import { messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { onAction, run, runMessageCommand } from '../../shared/commands/definitions/animate.ts';
import { ToolError } from '../../shared/ports/chat-tool.ts';
import { proposeJob } from '../../shared/video/propose-job.ts';
import { createVideoTools } from '../../shared/video/tools.ts';
import {
  videoInteraction,
  delivery,
  type Deps,
  jobs,
  messageCommand,
  picture,
  buttonPress,
  modalSubmission,
} from './video-interactions.ts';
import { formFor } from './front.ts';
import { videoRequest, person, thread, VideoHarness } from './video-harness.ts';

/** The modal that the message command opens. */
async function menu(w: VideoHarness): Promise<Modal> {
  const form = await formFor(w, messageCommand().interaction);
  if (!form) throw new Error('no form');
  return form;
}

/** Runs an interaction in a process of its own. */
const does = (w: VideoHarness, work: (context: Deps) => Promise<unknown>) => w.process(work);

describe('a request by a person', () => {
  test('opens a modal with prompt and price; a duplicate submission gives one video', async () => {
    const w = new VideoHarness();
    const form = await menu(w);
    expect(JSON.stringify(form)).toMatch(/about \$0\.35.*gently to life/u);
    expect([w.queue.length, w.submits]).toEqual([0, 0]);
    const { action } = form;
    await does(w, (context) =>
      onAction(modalSubmission(action, 'Gulls fly by.', 'form-1'), context, delivery),
    );
    await does(w, (context) =>
      onAction(modalSubmission(action, 'Gulls fly by.', 'form-1'), context, delivery),
    );
    await w.pass(2);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered', prompt: 'Gulls fly by.' }]);
    expect(w.madeVideos.size).toBe(1);
  });

  test('offers several models with their prices and picture fields', async () => {
    const w = new VideoHarness();
    w.models = [
      ...w.models,
      { name: 'model-b', operation: 'image-to-video', field: 'start_image_url', price: '1.20' },
    ];
    const form = await menu(w);
    expect(JSON.stringify(form)).toMatch(/model-a-video \(about \$0\.35\).*model-b \(about \$1\.20\)/u);
    const { action } = form;
    await does(w, (context) =>
      onAction(modalSubmission(action, 'Gulls.', 'form-1', { model: 'model-b' }), context, delivery),
    );
    await w.pass(2);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered', model: 'model-b', price: '1.20' }]);
    expect([...w.madeVideos.values()][0]?.request).toMatch(/model-b.*start_image_url/u);
    const change = { name: 'video.change', args: [(await jobs(w))[0]?.id ?? ''] };
    await does(w, (context) =>
      onAction(modalSubmission(change, 'Gulls.', 'form-2', { model: 'gone-since' }), context, delivery),
    );
    await w.pass(2);
    expect((await jobs(w)).map(({ model }) => model).toSorted()).toEqual(['model-a-video', 'model-b']);
  });

  test('gets an ephemeral card with a button if it is too late for a modal', async () => {
    const w = new VideoHarness();
    await does(w, (context) => runMessageCommand(messageCommand(), context, delivery));
    expect(JSON.stringify(w.stage.answers[0]?.card)).toContain('video.make');
    expect([w.queue.length, w.submits]).toEqual([0, 0]);
  });

  test('starts another video from a finished one, but not from a video of another person', async () => {
    const w = new VideoHarness();
    expect(
      await formFor(w, buttonPress({ name: 'video.change-form', args: ['none'] }).interaction),
    ).toBeUndefined();
    await does(w, (context) =>
      onAction(buttonPress({ name: 'video.change-form', args: ['none'] }), context, delivery),
    );
    expect(JSON.stringify(w.stage.answers)).toContain('no longer exists');
    const { action } = await menu(w);
    const stranger = { by: { user: userId('U7'), workspace: person.workspace, roles: [] } };
    const copied = modalSubmission(action, 'Mine?', 'form-0');
    const forgedCopy = { ...copied, interaction: { ...copied.interaction, ...stranger } };
    await does(w, (context) => onAction(forgedCopy, context, delivery));
    expect(await jobs(w)).toEqual([]);
    await does(w, (context) => onAction(modalSubmission(action, 'One.', 'form-1'), context, delivery));
    await w.pass(2);
    const [job] = await jobs(w);
    const again = { name: 'video.change-form', args: [job?.id ?? ''] };
    const opened = await formFor(w, buttonPress(again).interaction);
    expect(JSON.stringify(opened)).toContain('One.');
    const other = opened?.action ?? { name: '', args: [] };
    const theirs = modalSubmission(other, 'Three.', 'form-3');
    const invoked = { ...theirs, interaction: { ...theirs.interaction, ...stranger } };
    await does(w, (context) => onAction(invoked, context, delivery));
    await does(w, (context) => onAction(modalSubmission(other, 'Two.', 'form-2'), context, delivery));
    await does(w, (context) => onAction(modalSubmission(other, 'Two.', 'form-2'), context, delivery));
    await w.pass(2);
    expect((await jobs(w)).map(({ prompt }) => prompt).toSorted()).toEqual(['One.', 'Two.']);
  });

  test('shows the prompt only to people who may change the video', async () => {
    const w = new VideoHarness();
    const { action } = await menu(w);
    await does(w, (context) =>
      onAction(modalSubmission(action, 'Secret gulls.', 'form-1'), context, delivery),
    );
    const [job] = await jobs(w);
    const change = { name: 'video.change-form', args: [job?.id ?? ''] };
    const typed = async (
      user: string,
      workspace: string,
      more: Partial<Interaction> = {},
      admin?: boolean,
    ) => {
      const by = { user: userId(user), workspace: workspaceId(workspace), roles: [], admin };
      const form = await formFor(
        w,
        buttonPress(change, { by, workspace: by.workspace, ...more }).interaction,
      );
      return JSON.stringify(form ?? '').includes('Secret gulls.');
    };
    expect(await typed('U1', 'T1')).toBe(true);
    // An administrator of the workspace of the video's thread, where the platform says so.
    expect(await typed('U7', 'T1', {}, true)).toBe(true);
    expect(await typed('U7', 'T1')).toBe(false);
    expect(await typed('U7', 'T1', {}, false)).toBe(false);
    expect(await typed('U1', 'T2')).toBe(false);
    // The same person in a shared channel of another workspace.
    expect(await typed('U1', 'T1', { workspace: workspaceId('T2') })).toBe(false);
    expect(await typed('U7', 'T2', {}, true)).toBe(false);
    expect(await typed('U1', 'T1', { platform: 'discord' })).toBe(false);
    expect(await typed('U7', 'T1', { platform: 'discord' }, true)).toBe(false);
  });

  test('stores a cancelled proposal without a card before the click is answered', async () => {
    const w = new VideoHarness();
    await proposeJob(videoRequest(), w.context());
    const [proposed] = await jobs(w);
    w.calls = async (_, effect) => {
      await setImmediate();
      return effect();
    };
    const cancel = { name: 'video.cancel', args: [proposed?.id ?? ''] };
    await does(w, (context) => onAction(buttonPress(cancel), context, delivery));
    expect((await jobs(w)).map(({ state }) => state)).toEqual(['cancelled']);
  });

  test('opens the modal in the worker if the front does not know the admins', async () => {
    const w = new VideoHarness();
    const { action } = await menu(w);
    await does(w, (context) => onAction(modalSubmission(action, 'Gulls.', 'form-1'), context, delivery));
    const [job] = await jobs(w);
    const by = { user: userId('U7'), workspace: person.workspace, roles: [] };
    const press = buttonPress({ name: 'video.change-form', args: [job?.id ?? ''] }, { by });
    await does(w, (context) => onAction(press, context, delivery));
    expect(w.stage.forms).toEqual([]);
    expect(JSON.stringify(w.stage.answers.at(-1)?.card)).toContain('Only the person who asked');
    await does(w, (context) => onAction({ ...press, admin: true }, context, delivery));
    expect(JSON.stringify(w.stage.forms)).toContain('Gulls.');
  });

  test('lists confirmed videos without proposals', async () => {
    const w = new VideoHarness();
    await does(w, (context) => runMessageCommand(messageCommand(), context, delivery));
    const list = videoInteraction({
      kind: 'command',
      name: 'animate',
      options: {},
      attachments: [],
    } as const);
    const whole = {
      ...list,
      payload: { ...list.payload, attachments: [] },
      options: { prompt: 'list' },
      commands: [],
    };
    await does(w, (context) => run(whole, context, delivery));
    expect(JSON.stringify(w.stage.answers.at(-1)?.card)).toContain('You have no videos');
  });
});

describe('a request by the model', () => {
  const turn = {
    thread,
    message: messageId('1700000001.000100'),
    asker: person.user,
    askerWorkspace: person.workspace,
  };
  const pictures = [{ picture, message: thread.root }];
  const names = (context: Deps, of: typeof pictures) =>
    createVideoTools(turn, of, context).map(({ definition }) => definition.name);
  const signal = new AbortController().signal;
  const start = (context: Deps, args: Record<string, unknown> = { prompt: 'Slower waves.' }) =>
    createVideoTools(turn, pictures, context)[0]?.prepare(args, 'en').run(signal);

  test('posts a card with the price and spends nothing before a click', async () => {
    const w = new VideoHarness();
    await does(w, async (context) => {
      expect(await start(context)).toMatchObject({
        content: expect.stringContaining('before the person presses'),
      });
      await start(context);
    });
    await w.pass(10);
    const [job, ...more] = await jobs(w);
    expect([job?.state, more, w.submits, w.stage.cards.size]).toEqual(['proposed', [], 0, 1]);
    expect(JSON.stringify([...w.stage.cards.values()])).toMatch(/Make it \(about \$0\.35\)/u);
    const make = { name: 'video.make', args: [job?.id ?? ''] };
    await does(w, (context) => onAction(buttonPress(make), context, delivery));
    await does(w, (context) => onAction(buttonPress(make), context, delivery));
    await w.pass(2);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered', prompt: 'Slower waves.' }]);
    expect([w.madeVideos.size, w.stage.cards.size]).toEqual([1, 1]);
  });

  test('belongs to one workspace, also in a channel that two workspaces share', async () => {
    const w = new VideoHarness();
    const elsewhere = { ...turn, thread: { ...thread, workspace: workspaceId('T2') } };
    for (const shared of [turn, elsewhere])
      await does(w, async (context) => {
        await createVideoTools(shared, pictures, context)[0]?.prepare({ prompt: 'Waves.' }, 'en').run(signal);
      });
    const workspaces = (await jobs(w)).map((job) => job.thread.workspace);
    expect(workspaces.toSorted()).toEqual(['T1', 'T2']);
  });

  test('proposes at most three videos per question', async () => {
    const w = new VideoHarness();
    await does(w, async (context) => {
      const [tool] = createVideoTools(turn, pictures, context);
      for (const prompt of ['One.', 'Two.', 'Three.']) await tool?.prepare({ prompt }, 'en').run(signal);
      expect(() => tool?.prepare({ prompt: 'Four.' }, 'en')).toThrow('let the person choose');
    });
    expect(w.stage.cards.size).toBe(3);
  });

  test('can be declined; the card says so', async () => {
    const w = new VideoHarness();
    await does(w, async (context) => void (await start(context)));
    const [job] = await jobs(w);
    await does(w, (context) =>
      onAction(buttonPress({ name: 'video.cancel', args: [job?.id ?? ''] }), context, delivery),
    );
    await w.pass(2);
    expect(await jobs(w)).toMatchObject([{ state: 'cancelled' }]);
    expect(w.submits).toBe(0);
    expect(JSON.stringify([...w.stage.cards.values()])).toContain('was cancelled');
  });

  test('uses pictures of the history, also those of videos', async () => {
    const w = new VideoHarness();
    await does(w, async (context) => void (await start(context)));
    const [first] = await jobs(w);
    await does(w, (context) =>
      onAction(buttonPress({ name: 'video.make', args: [first?.id ?? ''] }), context, delivery),
    );
    await w.pass(2);
    const [job] = await jobs(w);
    const past = [{ picture, message: job?.posted ?? thread.root }];
    await does(w, async (context) => {
      await createVideoTools(turn, past, context)[0]?.prepare({ prompt: 'Even slower.' }, 'en').run(signal);
    });
    expect(await jobs(w)).toContainEqual(
      expect.objectContaining({ prompt: 'Even slower.', requestMessage: thread.root }),
    );
  });

  test('has no tool without a picture or with videos off; invalid arguments are reported', async () => {
    const w = new VideoHarness();
    await does(w, async (context) => {
      expect(names(context, [])).toEqual(['look_up_video']);
      const settings = { ...context.settings, layers: { workspace: { values: { video: 'off' as const } } } };
      expect(names({ ...context, settings }, pictures)).toEqual([]);
      const videos = { ...context.videos, animates: false } as const;
      expect(names({ ...context, videos }, pictures)).toEqual(['look_up_video']);
      expect(() => createVideoTools(turn, pictures, context)[0]?.prepare({ prompt: ' ' }, 'en')).toThrow(
        ToolError,
      );
      expect(() =>
        createVideoTools(turn, pictures, context)[0]?.prepare({ prompt: 'x', picture: 'moon.png' }, 'en'),
      ).toThrow('sea.png');
      await Promise.resolve();
    });
  });
});
