import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { handleToolRequest } from '../../shared/mcp/index.ts';
import { createPublicLookup } from '../../shared/runtime/public-address.ts';
import { type Phase, sendMessage, sendResult, startHostileServer } from './hostile-server.ts';

// Servers that mean well and send what others do not: reported by people who used them with other clients.

let server: Awaited<ReturnType<typeof startHostileServer>>;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.close());

const rules = () => ({ lookup: createPublicLookup(), allowedOrigins: [server.origin] });

/** What the client makes of this result, or this error, of a server. */
function meet(
  phase: Exclude<Phase, 'initialize'>,
  answer: { readonly result?: object; readonly error?: object },
) {
  const { url } = server.behave(phase, 'sse', (exchange) =>
    answer.error ? sendMessage(exchange, { error: answer.error }) : sendResult(exchange, answer.result),
  );
  const action = phase === 'list' ? { kind: 'list' } : { kind: 'call', tool: 'find', args: {} };
  return handleToolRequest({ ...action, url, timeoutMs: 10_000 }, rules());
}

const parametersSchema = v.object({ properties: v.record(v.string(), v.unknown()) });

/** The parameters that the model sees of a tool with this schema. */
async function readSchema(inputSchema: object): Promise<unknown> {
  const listed = await meet('list', { result: { tools: [{ name: 'find', inputSchema }] } });
  return listed.kind === 'listed' ? listed.tools[0]?.parameters : listed;
}

/** What the model sees of a parameter with this schema. */
async function readProperty(schema: object, more: object = {}): Promise<unknown> {
  const parameters = await readSchema({ type: 'object', properties: { a: schema }, ...more });
  return v.parse(parametersSchema, parameters).properties['a'];
}

const form = (name: string) => ({
  type: 'object',
  properties: { title: { type: 'string' }, [name]: { type: 'string' } },
  required: ['title', name],
});

/** A schema that refers to the next one twice. */
const double = (i: number) => ({ anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] });

describe('the parameters of a tool', () => {
  const PLACE = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

  test.each<[string, object, object, object]>([
    ['a reference, as of PagerDuty', { $ref: '#/$defs/Place' }, { $defs: { Place: PLACE } }, PLACE],
    [
      'a reference with an escaped name',
      { $ref: '#/definitions/a~1b', description: 'Where' },
      { definitions: { 'a/b': PLACE } },
      { ...PLACE, description: 'Where' },
    ],
    [
      'a list of references',
      { type: 'array', items: { $ref: '#/$defs/Place' } },
      { $defs: { Place: PLACE } },
      { type: 'array', items: PLACE },
    ],
    [
      'an optional parameter of FastMCP',
      { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, description: 'How many' },
      {},
      { type: 'integer', description: 'How many' },
    ],
    [
      'a parameter that FastMCP wraps twice',
      { anyOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'null' }] },
      {},
      { type: 'string' },
    ],
    [
      'an optional choice of Pydantic',
      { anyOf: [{ $ref: '#/$defs/Color' }, { type: 'null' }] },
      { $defs: { Color: { type: 'string', enum: ['red', 'blue'] } } },
      { type: 'string', enum: ['red', 'blue'] },
    ],
    [
      'a choice of constants',
      {
        oneOf: [
          { const: 'up', type: 'string' },
          { const: 'down', type: 'string' },
        ],
      },
      {},
      { type: 'string', enum: ['up', 'down'] },
    ],
    [
      'constants of two types',
      {
        anyOf: [
          { const: 'auto', type: 'string' },
          { const: 5, type: 'integer' },
        ],
      },
      {},
      { enum: ['auto', 5] },
    ],
    [
      'a reference in allOf, as of Pydantic 1',
      { allOf: [{ $ref: '#/$defs/Place' }], description: 'Where' },
      { $defs: { Place: PLACE } },
      { ...PLACE, description: 'Where' },
    ],
    [
      'a schema that refers to itself',
      { $ref: '#/$defs/Tree' },
      {
        $defs: {
          Tree: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              children: { type: 'array', items: { $ref: '#/$defs/Tree' } },
            },
          },
        },
      },
      {
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { type: 'object' } } },
      },
    ],
    ['a reference that leads elsewhere', { $ref: 'https://example.com/place.json' }, {}, {}],
  ])('keep %s', async (_, schema, more, expected) => {
    expect(await readProperty(schema, more)).toEqual(expected);
  });

  test('of two forms have the properties of both, as of Notion', async () => {
    expect(await readSchema({ type: 'object', anyOf: [form('content'), form('source_url')] })).toEqual({
      type: 'object',
      properties: {
        title: { type: 'string' },
        content: { type: 'string' },
        source_url: { type: 'string' },
      },
      required: ['title'],
    });
  });

  test('that are too large with their references are kept without them', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 60 }, (__, i) => [`p${i}`, { type: 'string' }]),
    );
    const Large = { type: 'object', properties };
    expect(
      await readSchema({
        type: 'object',
        properties: { a: { $ref: '#/$defs/Large' }, b: { $ref: '#/$defs/Large' } },
        $defs: { Large },
      }),
    ).toEqual({
      type: 'object',
      properties: { a: {}, b: {} },
    });
  });

  test('that multiply with each reference end soon', async () => {
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (__, i) => [`d${i}`, double(i)]));
    // 2^40 copies if each reference were replaced: that would not end.
    expect(await readProperty({ $ref: '#/$defs/d0' }, { $defs })).toBeDefined();
  });
});

describe('a list of tools', () => {
  const GOOD = { name: 'good', inputSchema: { type: 'object' } };
  test.each<[string, object, readonly string[]]>([
    ['a cursor that is null', { tools: [GOOD], nextCursor: null }, ['good']],
    [
      'a schema that is a boolean, as of the Go SDK',
      { tools: [GOOD, { name: 'any', inputSchema: { type: 'object', properties: { value: true } } }] },
      ['good', 'any'],
    ],
    [
      'a schema of results that is no object',
      { tools: [{ ...GOOD, outputSchema: { $id: 'result' } }] },
      ['good'],
    ],
    ['a schema without a type', { tools: [{ name: 'none', inputSchema: {} }, GOOD] }, ['none', 'good']],
    ['a description that is null', { tools: [{ ...GOOD, description: null, annotations: null }] }, ['good']],
    ['a tool without a schema of an object', { tools: [{ name: 'bad', inputSchema: [] }, GOOD] }, ['good']],
  ])('is read in spite of %s', async (_, result, names) => {
    const listed = await meet('list', { result });
    expect(listed.kind === 'listed' && listed.tools.map(({ name }) => name)).toEqual(names);
  });
});

describe('the result of a call', () => {
  const TEXT = { type: 'text', text: 'Found it.' };
  test.each<[string, object, string]>([
    [
      'a picture that is no base64',
      { content: [TEXT, { type: 'image', data: 'data:image/png;base64,AA==', mimeType: 'image/png' }] },
      'Found it.\n\n(image, not shown)',
    ],
    [
      'an unknown kind of content',
      { content: [TEXT, { type: 'hologram' }] },
      'Found it.\n\n(hologram, not shown)',
    ],
    [
      'structured content that is null',
      { content: [TEXT], structuredContent: null, isError: null },
      'Found it.',
    ],
    [
      'structured content that its text does not have',
      {
        content: [{ type: 'text', text: '2 results' }],
        structuredContent: { results: [{ id: 7, name: 'Ada' }, { id: 8 }] },
      },
      '2 results\n\n{"results":[{"id":7,"name":"Ada"},{"id":8}]}',
    ],
    [
      'structured content that its text has in other words',
      {
        content: [TEXT, { type: 'text', text: '- Ada (7)\n- said "hi"' }],
        structuredContent: {
          result: [{ id: 7, name: 'Ada', isOpen: true, note: null }, { said: 'said "hi"' }],
        },
      },
      'Found it.\n\n- Ada (7)\n- said "hi"',
    ],
    [
      'structured content that its text has as JSON',
      {
        content: [{ type: 'text', text: '{\n  "a": "say \\"hi\\"\\n"\n}' }],
        structuredContent: { a: 'say "hi"\n' },
      },
      '{\n  "a": "say \\"hi\\"\\n"\n}',
    ],
    [
      'a link without a name',
      { content: [{ type: 'resource_link', uri: 'https://x.example/1' }] },
      ': https://x.example/1',
    ],
  ])('is read in spite of %s', async (_, result, expected) => {
    expect(await meet('call', { result })).toEqual({ kind: 'called', text: expected, isError: false });
  });

  test('that says that arguments are invalid, as an error of the protocol, is shown to the model', async () => {
    const error = { code: -32_602, message: 'Invalid arguments: “title” is required' };
    expect(await meet('call', { error })).toEqual({
      kind: 'called',
      text: 'MCP error -32602: Invalid arguments: “title” is required',
      isError: true,
      isRefused: true,
    });
  });
});
