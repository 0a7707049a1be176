import { expect, test } from '@jest/globals';
import type { ContentPart } from '../../shared/upstream/index.ts';
import { pick } from '../simulators/upstream/test-client.ts';
import { QUESTION, KEY, readResponse } from '../upstream/raw-server-harness.ts';
import { overBytes, sayLegacy, sends, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';

const LEGACY = { shape: 'legacy' } as const;
const TOOL = {
  name: 'get_weather',
  description: 'Tells it.',
  parameters: { type: 'object', properties: {} },
} as const;
const URL_OF = 'https://example.com/x.png';
const user = (content: string | readonly ContentPart[]) => ({ role: 'user', content }) as const;
const older = (patch: Parameters<typeof sends>[0], fields: Parameters<typeof sends>[1]) =>
  sends(patch, fields, LEGACY);

for (const id of ['LEG-001', 'LEG-002'])
  test(onBytes(id), async () => {
    await overBytes(
      sayLegacy,
      async ({ upstream, server }) => {
        await upstream.chat.complete(QUESTION);
        await readResponse(upstream.chat.stream(QUESTION));
        expect(server.requests).toHaveLength(2);
        for (const { method, path, headers } of server.requests) {
          expect([method, path, headers['x-api-key']]).toEqual(['POST', '/v1/chat/completions', KEY]);
          expect(headers).not.toHaveProperty('authorization');
        }
      },
      LEGACY,
    );
  });

test(onBytes('LEG-003'), () => older({ model: 'vendor-flash' }, { model: 'vendor-flash' }));
test(onBytes('LEG-004'), () =>
  overBytes(
    sayLegacy,
    async ({ upstream }) =>
      expect((await upstream.chat.complete({ ...QUESTION, model: 'x' })).model).toBe('vendor-flash'),
    LEGACY,
  ),
);
test(onBytes('LEG-005'), () => older({ frequencyPenalty: 1.5 }, { frequency_penalty: 1.5 }));
test(onBytes('LEG-006'), () => older({ presencePenalty: -1.5 }, { presence_penalty: -1.5 }));
test(onBytes('LEG-007'), () => older({ maxTokens: 7 }, { max_tokens: 7 }));
test(onBytes('LEG-009'), () => older({ seed: 4 }, { seed: 4 }));
test(onBytes('LEG-010'), async () => {
  await older({ stop: TEXT }, { stop: [TEXT] });
  await older({ stop: ['a', 'b'] }, { stop: ['a', 'b'] });
});
test(onBytes('LEG-012'), () => older({ temperature: 0 }, { temperature: 0 }));
test(onBytes('LEG-014'), async () => {
  for (const [toolChoice, sent] of [
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'tool'],
  ] as const)
    await older({ tools: [TOOL], toolChoice }, { tools: [TOOL], tool_choice: sent });
  await older({ toolChoice: 'required' }, {});
});
test(onBytes('LEG-016'), () =>
  older(
    { tools: [TOOL, { name: 'now' }] },
    { tools: [TOOL, { name: 'now', parameters: { type: 'object', properties: {} } }] },
  ),
);
test(onBytes('LEG-017'), () => older({ topK: 5 }, { top_k: 5 }));
test(onBytes('LEG-018'), () => older({ topP: 0.5 }, { top_p: 0.5 }));

const SYSTEM = { role: 'system', content: 'Be short.' } as const;

test(onBytes('LEG-020'), () =>
  overBytes(
    sayLegacy,
    async ({ upstream, server }) => {
      const messages = [
        SYSTEM,
        user('hello'),
        { role: 'assistant', content: TEXT } as const,
        SYSTEM,
        user('again'),
      ];
      await upstream.chat.complete({ ...QUESTION, messages });
      expect([0, 1, 2, 3].map((at) => pick(server.requests[0]?.body, 'messages', at, 'role'))).toEqual([
        'user',
        'assistant',
        'user',
        undefined,
      ]);
    },
    LEGACY,
  ),
);

test(onBytes('LEG-021'), async () => {
  const other = { role: 'system', content: TEXT } as const;
  await older(
    { messages: [SYSTEM, other, user('hello')] },
    { messages: [user(`Be short.\n\n${TEXT}\n\nhello`)] },
  );
  await older(
    { messages: [SYSTEM, { role: 'assistant', content: 'Hi' }] },
    { messages: [user('Be short.'), { role: 'assistant', content: 'Hi' }] },
  );
  await older(
    { messages: [SYSTEM, user([{ type: 'image', url: URL_OF }])] },
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Be short.' },
            { type: 'image_url', image_url: URL_OF },
          ],
        },
      ],
    },
  );
});

const PARTS = [
  { type: 'text', text: TEXT },
  { type: 'image', url: URL_OF },
] as const;
const WIRE_PARTS = [
  { type: 'text', text: TEXT },
  { type: 'image_url', image_url: URL_OF },
];

for (const id of ['LEG-023', 'LEG-024', 'LEG-025'])
  test(onBytes(id), () => {
    const messages = [user(PARTS), { role: 'assistant', content: null } as const, user('hello')];
    return older(
      { messages: messages },
      { messages: [{ role: 'user', content: WIRE_PARTS }, ...messages.slice(1)] },
    );
  });
