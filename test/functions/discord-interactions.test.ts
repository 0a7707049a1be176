import { describe, expect, test } from '@jest/globals';
import { ask, discordFrontHarness, idNow, interaction, NOW_S } from './discord.ts';

describe('the endpoint', () => {
  test('responds to a PING, also when the gateway encodes it as base64', async () => {
    const { sendRaw, headers } = discordFrontHarness();
    for (const base64 of [false, true]) {
      const answer = await sendRaw('{"type":1}', headers('{"type":1}', NOW_S), base64);
      expect(answer).toMatchObject({ statusCode: 200, body: '{"type":1}' });
      expect(answer.headers?.['content-type']).toBe('application/json');
    }
  });

  test('rejects an unsigned request before it parses it', async () => {
    const { sendRaw, headers, tasks } = discordFrontHarness();
    const body = JSON.stringify(ask({ question: 'why?' }));
    const good = headers(body, NOW_S);
    const bad = [
      {},
      { ...good, 'x-signature-ed25519': '' },
      { ...good, 'x-signature-ed25519': 'ab'.repeat(63) + 'a' },
      { ...good, 'x-signature-ed25519': 'zz'.repeat(64) },
      { ...good, 'x-signature-ed25519': '00'.repeat(64) },
      headers(body, NOW_S - 600),
      headers('{}', NOW_S),
    ];
    for (const badHeaders of bad) expect((await sendRaw(body, badHeaders)).statusCode).toBe(401);
    expect((await sendRaw('not json', headers('not json', NOW_S))).statusCode).toBe(400);
    expect(tasks).toEqual([]);
  });
});

describe('/ask', () => {
  test('is recorded and queued with its interaction token before it is deferred', async () => {
    const harness = discordFrontHarness();
    const { body } = await harness.send(ask({ question: 'why?', model: 'maker/other', attachment: '71' }));
    expect(body).toEqual({ type: 5 });
    expect(harness.wrote).toEqual([`accept c41 ${idNow()}`, `ticket c41 ${idNow()} ticket`]);
    expect(harness.tasks).toMatchObject([
      {
        kind: 'ask',
        thread: { platform: 'discord', workspace: '21', channel: '31', root: 'c41' },
        message: idNow(),
        asker: '41',
        question: 'why?',
        model: 'maker/other',
        attachments: [
          { id: 'https://cdn.discordapp.com/a', name: 'a.txt', mimetype: 'text/plain', bytes: 5 },
        ],
      },
    ]);
  });

  test('is stored without characters that SQS refuses', async () => {
    const harness = discordFrontHarness();
    await harness.send(ask({ question: 'one\uFFFE\uFFFF two' }));
    expect(harness.tasks).toMatchObject([{ question: 'one two' }]);
  });

  test('with private:true has a conversation of its own, and an ephemeral answer', async () => {
    const harness = discordFrontHarness();
    const { body } = await harness.send(ask({ question: 'why?', private: true }));
    expect(body).toEqual({ type: 5, data: { flags: 64 } });
    expect(harness.tasks[0]?.thread.root).toBe('p41');
  });

  test.each([
    [
      'in a thread belongs to the thread',
      { channel_id: '32', channel: { id: '32', type: 11, parent_id: '31' } },
      '31',
      '32',
    ],
    [
      'in a direct message belongs to the direct message',
      { guild_id: undefined, context: 1, authorizing_integration_owners: { '0': '0' } },
      '31',
      '31',
    ],
    [
      'of a user-installed app belongs to its person',
      { authorizing_integration_owners: { '1': '41' } },
      '31',
      'u41',
    ],
    [
      'among other people belongs to its person',
      { guild_id: undefined, context: 2, authorizing_integration_owners: { '1': '41' } },
      '31',
      'u41',
    ],
  ])('%s', async (_, over, channel, root) => {
    const harness = discordFrontHarness();
    await harness.send(ask({ question: 'why?' }, over));
    expect(harness.tasks[0]?.thread).toMatchObject({ channel, root });
  });

  test('passes on the requested model, which the worker checks', async () => {
    const harness = discordFrontHarness();
    await harness.send(ask({ question: 'why?', model: 'dear/one' }));
    expect(harness.tasks).toMatchObject([{ kind: 'ask', model: 'dear/one' }]);
  });

  test.each([
    ['queue', `mark ${idNow()} deleted`],
    ['table', undefined],
  ] as const)('is not deferred without a %s: the person is told in their language', async (what, last) => {
    const harness = discordFrontHarness();
    harness.broken[what] = true;
    const { status, body } = await harness.send(ask({ question: 'why?' }));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 4,
      data: { flags: 64, content: expect.stringContaining('gleich noch einmal') },
    });
    expect(harness.wrote.at(-1)).toBe(last);
  });

  test('that is redelivered is queued once', async () => {
    const harness = discordFrontHarness();
    await harness.send(ask({ question: 'why?' }));
    await harness.send(ask({ question: 'why?' }));
    expect(harness.tasks).toHaveLength(1);
  });
});

describe('other interactions', () => {
  test('that are redelivered are queued once', async () => {
    for (const call of [
      interaction({ type: 2, data: { type: 1, name: 'help' } }),
      press('regenerate', '81'),
    ]) {
      const harness = discordFrontHarness();
      await Promise.all([harness.send(call), harness.send(call)]);
      expect(harness.tasks).toHaveLength(1);
    }
  });

  test('a command is queued as an interaction task', async () => {
    const harness = discordFrontHarness();
    const { body } = await harness.send(interaction({ type: 2, data: { type: 1, name: 'help' } }));
    expect(body).toEqual({ type: 5, data: { flags: 64 } });
    expect(harness.tasks).toMatchObject([
      {
        kind: 'invoked',
        interaction: {
          platform: 'discord',
          channel: '31',
          by: { user: '41', locale: 'de', admin: true, roles: ['51'] },
          responseToken: 'ticket',
          receivedAt: NOW_S * 1_000,
          payload: { kind: 'command', name: 'help' },
        },
      },
    ]);
  });

  test.each([
    // Administrators have every permission.
    ['8', undefined],
    [String((1n << 16n) | (1n << 10n)), undefined],
    [String(1n << 10n), false],
    ['all', false],
  ])(
    'the task says whether the person may read the history of the channel: permissions %s',
    async (permissions, may) => {
      const harness = discordFrontHarness();
      const member = { user: { id: '41' }, roles: [], permissions };
      await harness.send(interaction({ type: 2, data: { type: 1, name: 'help' }, member }));
      expect(
        harness.tasks.map((task) => (task.kind === 'invoked' ? task.interaction.by.mayReadHistory : 'none')),
      ).toEqual([may]);
    },
  );

  test('an unknown interaction is answered at once', async () => {
    const harness = discordFrontHarness();
    const { body } = await harness.send(interaction({ type: 2, data: { type: 1, name: 'dance' } }));
    expect(body).toMatchObject({ type: 4, data: { flags: 64 } });
    expect(harness.tasks).toEqual([]);
  });

  test('“Ask about this” opens a modal, and its message is part of the private question', async () => {
    const harness = discordFrontHarness();
    const message = {
      id: '81',
      author: { id: '42' },
      content: 'two\nlines',
      attachments: [{ id: '72', url: 'https://cdn.discordapp.com/b', filename: 'b.png' }],
    };
    const data = {
      type: 3,
      name: 'Ask about this',
      target_id: '81',
      resolved: { messages: { '81': message } },
    };
    const { body } = await harness.send(interaction({ type: 2, data }));
    expect(body).toMatchObject({
      type: 9,
      data: { custom_id: `ask.about|${idNow()}|31|81`, title: 'Frage dazu stellen' },
    });
    const components = [{ type: 18, component: { type: 4, custom_id: 'question', value: 'What is it?' } }];
    const sent = { id: idNow(1), type: 5, data: { custom_id: `ask.about|${idNow()}|31|81`, components } };
    const stranger = { member: { user: { id: '43' }, roles: [], permissions: '0' } };
    const copied = await harness.send(interaction({ ...sent, ...stranger }));
    expect([copied.body, harness.tasks]).toMatchObject([{ type: 4, data: { flags: 64 } }, []]);
    expect((await harness.send(interaction(sent))).body).toEqual({ type: 5, data: { flags: 64 } });
    expect(harness.tasks).toMatchObject([
      {
        kind: 'ask',
        thread: { root: 'p41' },
        question: 'What is it?\n\nDie Nachricht:\n> two\n> lines',
        attachments: [{ name: 'b.png' }],
      },
    ]);
  });
});

describe('buttons', () => {
  test('Stop writes the stop signal at once', async () => {
    const harness = discordFrontHarness();
    expect((await harness.send(press('stop', 'c41'))).body).toEqual({ type: 6 });
    expect(harness.wrote).toEqual(['mark 90 stopped']);
  });

  test('feedback is an interaction task with an ephemeral response', async () => {
    const harness = discordFrontHarness();
    expect((await harness.send(press('good', 'c41'))).body).toEqual({ type: 5, data: { flags: 64 } });
    expect(harness.wrote).toEqual([]);
    const action = { name: 'feedback.rate', args: ['c41', '90', 'good'] };
    expect(harness.tasks).toMatchObject([
      { kind: 'invoked', interaction: { deferred: true, by: { user: '41' }, payload: { action } } },
    ]);
  });

  test('the modal that a worker prepared for a rater opens at once; a missing one is reported by the worker', async () => {
    const drawn = {
      title: 'What was wrong?',
      submit: 'Send',
      action: { name: 'feedback.comment', args: [] },
      fields: [],
    };
    const harness = discordFrontHarness({ forms: { '41 d1': [drawn] } });
    const custom_id = 'feedback.comment-form|d1';
    const pressed = (id: string) =>
      harness.send(
        interaction({ type: 3, data: { component_type: 2, custom_id: id }, message: { id: '92' } }),
      );
    expect((await pressed(custom_id)).body).toMatchObject({ type: 9, data: { title: 'What was wrong?' } });
    expect(await pressed('feedback.comment-form|d2')).toEqual({ status: 202, body: undefined });
    expect(harness.tasks).toHaveLength(1);
  });

  test('Regenerate keeps the message where the bot can edit it', async () => {
    const harness = discordFrontHarness();
    expect((await harness.send(press('regenerate', 'c41', 'maker/other'))).body).toEqual({ type: 6 });
    expect(harness.wrote).toEqual(['ticket c41 90 ticket to 41']);
    expect(harness.tasks).toMatchObject([
      {
        kind: 'redo',
        message: '90',
        asker: '41',
        by: '41',
        key: `press-${idNow()}`,
        change: { kind: 'regenerate', model: 'maker/other' },
      },
    ]);
  });

  test('Regenerate posts a new message where only interaction tokens can write, ephemeral if it was', async () => {
    for (const [root, body] of [
      ['p41', { type: 5, data: { flags: 64 } }],
      ['u41', { type: 5 }],
    ] as const) {
      const harness = discordFrontHarness();
      expect((await harness.send(press('continue', root))).body).toEqual(body);
      expect(harness.wrote).toEqual([`ticket ${root} 90 ticket`]);
      expect(harness.tasks).toMatchObject([{ interactionToken: { id: idNow(), token: expect.any(String) } }]);
    }
  });

  test('a click of another person gets an ephemeral response, and keeps the token of the asker', async () => {
    const harness = discordFrontHarness();
    expect((await harness.send(press('regenerate', 'u42'))).body).toEqual({ type: 6 });
    expect(harness.wrote).toEqual(['ticket u42 90 ticket to 41']);
  });
});

function press(name: string, root: string, ...more: string[]): object {
  const custom_id = [`press.${name}`, root, '90', ...more].join('|');
  return interaction({ type: 3, message: { id: '91' }, data: { custom_id, component_type: 2 } });
}
