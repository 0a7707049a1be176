import { intakeWithin } from '../../../shared/intake/within-worker.ts';
import { describe, expect, test } from '@jest/globals';
import { channelId, messageId, parseTask } from '../../../shared/domain/index.ts';
import { type WorkerContext, dispatchTask } from '../../../shared/worker/index.ts';
import { acceptQuestion } from '../../../shared/intake/index.ts';
import { fakeInteraction, typedCommand } from '../../commands/command-harness.ts';
import { ADMIN, MEMBER, settingsHarness } from '../../commands/settings-harness.ts';

/** The result of the option `model` in Slack, and the resulting tasks. */
async function askModel(text: string, before: readonly string[] = []) {
  const at = settingsHarness();
  for (const one of before) await at.type(one, ADMIN);
  await at.call(fakeInteraction(typedCommand(text), { id: 'asks', by: MEMBER }));
  const tasks = at.queue.sent.map(({ body }) => parseTask(body));
  return { tasks, card: JSON.stringify(at.stage.answers.at(-1)?.card), openly: at.stage.cards.size };
}

describe('the model option of /parley ask', () => {
  test('selects the model, also for a public question', async () => {
    const { tasks } = await askModel('ask model:big What is a fjord?');
    expect(tasks).toMatchObject([{ kind: 'ask', question: 'What is a fjord?', model: 'big' }]);
  });

  test.each(['ask model:huge What?', 'ask model:huge private:yes What?', 'ask model:huge schema:bug What?'])(
    'with an unknown model gets an ephemeral response with the available models: %s',
    async (text) => {
      const { tasks, card, openly } = await askModel(text);
      expect(card).toContain('no model `huge`');
      expect(card).toContain('`usual`, `big`');
      expect([tasks, openly]).toEqual([[], 0]);
    },
  );

  test('with another model than the locked one gets an explanation', async () => {
    const { tasks, card } = await askModel('ask model:big What?', [
      'settings model usual for:workspace lock:"it is paid for"',
    ]);
    expect(card).toContain('locked by the workspace: it is paid for');
    expect(tasks).toEqual([]);
  });
});

describe('the model option in a task of the Discord front', () => {
  const thread = {
    platform: 'slack' as const,
    workspace: MEMBER.workspace,
    channel: channelId('C1'),
    root: messageId('1.1'),
  };

  /** The outcome of the turn, and the requested models. */
  async function answered(model: string, before: readonly string[] = []) {
    const models: (string | undefined)[] = [];
    const at = settingsHarness();
    const chat: WorkerContext['chat'] = {
      ...at.context.chat,
      async *stream(_, options) {
        models.push(options.model);
        yield { type: 'end', text: 'An answer.', finish: 'stop', model: options.model ?? 'usual' };
      },
    };
    for (const one of before) await at.type(one, ADMIN);
    const message = {
      thread,
      id: thread.root,
      author: MEMBER.user,
      authorWorkspace: MEMBER.workspace,
      text: 'Why?',
      attachments: [],
      addressed: 'mention' as const,
    };
    const context = { ...at.context, chat };
    await acceptQuestion(message, intakeWithin(context), { model });
    const body = at.queue.sent.at(-1)?.body ?? '';
    await dispatchTask(body, context, {
      deadline: at.time.now() + 60_000,
      isRedelivery: false,
      isLast: false,
    });
    const { content } = (await at.context.turns.findByMessage(thread)) ?? {};
    return { models, text: content?.outcome.text, kind: content?.outcome.kind };
  }

  test('selects an available model', async () => {
    expect(await answered('big')).toMatchObject({ models: ['big'], kind: 'answered' });
  });

  test('with an unavailable model fails with the list of available models', async () => {
    const { models, text, kind } = await answered('dear/one');
    expect([models, kind]).toEqual([[], 'failed']);
    expect(text).toContain('no model `dear/one`');
    expect(text).toContain('`usual`, `big`');
  });

  test('with another model than the locked one fails and names who locked it', async () => {
    const outcome = await answered('big', ['settings model usual for:workspace lock:"it is paid for"']);
    expect([outcome.models, outcome.kind]).toEqual([[], 'failed']);
    expect(outcome.text).toContain('it is paid for');
  });
});
