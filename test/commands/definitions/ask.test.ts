import { ReplyRefusedError } from '../../../shared/platforms/ports/index.ts';
import { describe, expect, test } from '@jest/globals';
import { type InteractionPayload, parseTask, userId, workspaceId } from '../../../shared/domain/index.ts';
import { CannotPostError } from '../../../shared/platforms/ports/index.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';

describe('help', () => {
  test('lists the commands ephemerally', async () => {
    const { call, stage } = commandHarness();
    await expect(call(fakeInteraction(typedCommand('help')))).resolves.toEqual({ kind: 'done' });
    const [answer] = stage.answers;
    expect(answer?.openly).toBe(false);
    expect(JSON.stringify(answer?.card)).toMatch(/`\/parley ask question \[private\][^`]*` Ask a question/);
  });

  test('in Discord it uses the names that the person sees', async () => {
    const { call, stage } = commandHarness();
    const payload: InteractionPayload = { kind: 'command', name: 'help', options: {}, attachments: [] };
    const by = { user: userId('1'), workspace: workspaceId('2'), roles: [], locale: 'de' };
    await call(fakeInteraction(payload, { platform: 'discord', by }));
    const card = JSON.stringify(stage.answers[0]?.card);
    expect(card).toMatch(/Frag mich mit `\/fragen` .* unter Apps: Frage dazu stellen\./u);
    expect(card).toMatch(/"- `\/fragen frage \[privat\][^`]*` Eine Frage/u);
  });

  test('shows commands as clickable mentions if their ids are known', async () => {
    const { call, stage } = commandHarness();
    const mentions = new Map([
      ['ask', '</ask:5>'],
      ['help', '</help:6>'],
    ]);
    Object.assign(stage, { commandMentions: async () => mentions });
    const payload: InteractionPayload = { kind: 'command', name: 'help', options: {}, attachments: [] };
    const by = { user: userId('1'), workspace: workspaceId('2'), roles: [], locale: 'de' };
    await call(fakeInteraction(payload, { platform: 'discord', by }));
    const card = JSON.stringify(stage.answers[0]?.card);
    expect(card).toMatch(/- <\/ask:5> `frage \[privat\][^`]*` Eine Frage/u);
    expect(card).toContain('- </help:6> `[befehl]` Was ich kann');
    expect(card).toMatch(/- `\/modell /u);
  });

  test('starts with the most frequent commands', async () => {
    const { call, stage } = commandHarness();
    await call(fakeInteraction(typedCommand('help')));
    const names = [...JSON.stringify(stage.answers[0]?.card).matchAll(/- `\/parley ([\w-]+)/gu)].map(
      ([, name]) => name,
    );
    // Videos and recorded usage are off here.
    expect(names.slice(0, 5)).toEqual(['ask', 'model', 'voice', 'persona', 'settings']);
    expect(names.slice(5)).toEqual(names.slice(5).toSorted((a = '', b = '') => (a < b ? -1 : 1)));
  });

  test('the bare command and an unknown word lead to it; errors are explained', async () => {
    const { call, stage } = commandHarness();
    await call(fakeInteraction(typedCommand('')));
    await call(fakeInteraction(typedCommand('bake bread')));
    await call(fakeInteraction(typedCommand('ask private:perhaps why?')));
    await call(fakeInteraction(typedCommand('export workspace')));
    await call(fakeInteraction(typedCommand('help ask')));
    await call(fakeInteraction(typedCommand(`weekly do:"s'abonner"`)));
    const cards = stage.answers.map(({ card }) => JSON.stringify(card));
    expect(cards[0]).toContain('What I can do');
    expect(cards[1]).toContain('There is no command “bake”.');
    expect(cards[2]).toContain('What I can do');
    expect(cards[3]).toContain('private: yes or no');
    expect(cards[3]).toContain('/parley ask question [private]');
    expect(cards[4]).toMatch(/what: this value does not exist.*One of: `me`/u);
    // Keyboards have the straight apostrophe, texts the typographic one.
    expect(cards[6]).not.toContain('does not exist');
    expect(cards[5]).toMatch(/`private` [^(]+ \(yes or no\)/u);
  });

  test('an interaction with an expired token is only logged', async () => {
    const { call, stage, logged } = commandHarness();
    stage.refuse.respond = new ReplyRefusedError('too late');
    await expect(call(fakeInteraction(typedCommand('help')))).resolves.toEqual({ kind: 'done' });
    expect(logged).toEqual(['interaction.response-failed']);
  });
});

describe('ask', () => {
  test('publicly, it starts a thread and queues the question there', async () => {
    const { call, stage, queue, dynamo } = commandHarness();
    await call(fakeInteraction(typedCommand('ask Why is the sky blue?')));
    const parts = [{ kind: 'text', markdown: 'Why is the sky blue?' }];
    expect(stage.cards.get('call-1')).toEqual({ by: 'U1', parts });
    const [sent] = queue.sent;
    expect(parseTask(sent?.body ?? '')).toMatchObject({
      kind: 'ask',
      question: 'Why is the sky blue?',
      thread: { root: 'begun-call-1' },
      asker: 'U1',
    });
    expect(dynamo.items('conversations')).toMatchObject([{ id: { S: 'begun-call-1' }, by: { S: 'U1' } }]);
    expect(stage.answers).toEqual([]);
  });

  test('privately, the answer is ephemeral and nothing is stored', async () => {
    const { call, stage, queue, dynamo } = commandHarness();
    await call(fakeInteraction(typedCommand('ask private:yes Why is the sky blue?')));
    expect(stage.answers).toMatchObject([{ openly: false, card: { parts: [{ markdown: 'An answer.' }] } }]);
    expect([queue.sent, dynamo.items('conversations')]).toEqual([[], []]);
  });

  test('where the bot is silent, it says so and sends no request', async () => {
    const { call, stage, queue } = commandHarness();
    const by = { ...fakeInteraction(typedCommand('')).by, admin: true };
    await call(fakeInteraction(typedCommand('settings mentions off for:channel'), { by }));
    for (const words of ['ask Why?', 'ask private:yes Why?'])
      await call(fakeInteraction(typedCommand(words)));
    for (const name of ['ask.about', 'ask.openly'])
      await call(fakeInteraction({ kind: 'form', action: { name, args: [] }, values: { question: 'Why?' } }));
    const refusals = stage.answers.slice(1).map(({ card }) => JSON.stringify(card));
    expect(refusals).toHaveLength(4);
    expect(refusals.filter((card) => !card.includes('I do not answer here'))).toEqual([]);
    expect([queue.sent, stage.cards.size]).toEqual([[], 0]);
  });

  test('where the bot may not post, the person is told what to do', async () => {
    const { call, stage } = commandHarness();
    stage.refuse.startThread = new CannotPostError('not in the channel');
    await call(fakeInteraction(typedCommand('ask Why?')));
    expect(JSON.stringify(stage.answers)).toContain('Invite me into it first');
  });

  test('a failed post is retried', async () => {
    const { call, stage } = commandHarness();
    stage.refuse.startThread = new Error('Slack is down');
    await expect(call(fakeInteraction(typedCommand('ask Why?')))).rejects.toThrow('Slack is down');
  });
});
