import { describe, expect, test } from '@jest/globals';
import { ToolCallMerger } from '../../shared/upstream/chat/tool-calls.ts';

const merge = (...fragments: unknown[]) => {
  const calls = new ToolCallMerger();
  for (const fragment of fragments) calls.add(fragment);
  return calls.list();
};
const part = (
  index: number | undefined,
  id: string | null | undefined,
  name: string | null | undefined,
  text: unknown,
) => ({
  ...(index !== undefined && { index }),
  id,
  type: 'function',
  function: { name, arguments: text },
});

test.each([
  ['{"x":', '{"x":'],
  ['', ''],
  [undefined, ''],
])(
  'a call that a limit cut at %j keeps what arrived, and gets no empty object for arguments',
  (text, expected) => {
    const calls = new ToolCallMerger();
    calls.add(part(0, 'a', 'f', text));
    expect(calls.list(true)).toEqual([{ id: 'a', name: 'f', arguments: expected }]);
  },
);

describe('fragments of tool calls are merged', () => {
  const A = { id: 'a', name: 'f', arguments: '{"x":1}' };
  const B = { id: 'b', name: 'g', arguments: '{"y":2}' };

  test.each<[string, unknown[], unknown]>([
    [
      'by index',
      [part(0, 'a', 'f', ''), part(0, undefined, undefined, '{"x"'), part(0, undefined, undefined, ':1}')],
      [A],
    ],
    [
      'by index, in parallel',
      [
        part(0, 'a', 'f', '{"x"'),
        part(1, 'b', 'g', '{"y"'),
        part(0, null, null, ':1}'),
        part(1, '', '', ':2}'),
      ],
      [A, B],
    ],
    [
      'all with index 0, told apart by id',
      [part(0, 'a', 'f', '{"x":1}'), part(0, 'b', 'g', '{"y":2}')],
      [A, B],
    ],
    [
      'all with index 0, going back to the first',
      [part(0, 'a', 'f', '{"x"'), part(0, 'b', 'g', '{"y":2}'), part(0, 'a', null, ':1}')],
      [A, B],
    ],
    [
      'without an index, by id',
      [
        part(undefined, 'a', 'f', '{"x"'),
        part(undefined, 'b', 'g', '{"y":2}'),
        part(undefined, 'a', 'f', ':1}'),
      ],
      [A, B],
    ],
    [
      'without an index and id, into the last',
      [part(undefined, 'a', 'f', '{"x"'), part(undefined, undefined, undefined, ':1}')],
      [A],
    ],
    ['with the name repeated', [part(0, 'a', 'f', '{"x"'), part(0, 'a', 'f', ':1}')], [A]],
    ['with arguments as an object', [part(0, 'a', 'f', { x: 1 })], [A]],
    ['of the legacy shape', [{ id: 'a', name: 'f', parameters: { x: 1 } }], [A]],
    ['without ids', [part(0, '', 'f', '{"x":1}')], [{ ...A, id: 'call_0' }]],
    [
      'all with index 0 and without ids, told apart by complete arguments',
      [part(0, '', 'f', '{"x"'), part(0, '', 'f', ':1}'), part(0, '', 'g', '{"y":2}')],
      [
        { ...A, id: 'call_0' },
        { ...B, id: 'call_1' },
      ],
    ],
    [
      'with the fields of the server',
      [
        { ...part(0, 'a', 'f', '{"x"'), extra_content: { google: { thought_signature: 's' } } },
        { ...part(0, 'a', null, ':1}'), extra_content: null, other: 1 },
        part(1, 'b', 'g', '{"y":2}'),
      ],
      [{ ...A, extra: { extra_content: { google: { thought_signature: 's' } }, other: 1 } }, B],
    ],
    ['without arguments', [part(0, 'a', 'f', undefined)], [{ ...A, arguments: '{}' }]],
    ['and nonsense is passed over', [null, 'x', 7, part(0, 'a', 'f', '{"x":1}')], [A]],
  ])('%s', (_, fragments, expected) => {
    expect(merge(...fragments)).toEqual(expected);
  });
});
