import type { RecordedExchange } from '../simulators/recorder.ts';
import { exampleOf, shapeOf } from './shape.ts';
import { typedArguments } from './slack-arguments.ts';

/** A value, and the official type that it has to have. */
export type Claim = {
  readonly direction: 'request' | 'response' | 'delivery';
  /** A method, `response_url`, or what is delivered; with the part of it that is meant. */
  readonly operation: string;
  /** In TypeScript. */
  readonly type: string;
  readonly value: unknown;
  /** How many of the recorded values are like this one. */
  count: number;
};

/** What has to hold of these exchanges with Slack, once for each shape. */
export function claimsOf(exchanges: Iterable<RecordedExchange>): Claim[] {
  const claims = new Map<string, Claim>();
  const add = (direction: Claim['direction'], operation: string, type: string, value: unknown): void => {
    const key = `${direction} ${operation} ${type} ${shapeOf(value)}`;
    const claim = claims.get(key);
    if (claim) claim.count += 1;
    else claims.set(key, { direction, operation, type, value: exampleOf(value), count: 1 });
  };
  for (const { platform, kind, operation, request, response, status } of exchanges) {
    if (platform !== 'slack' || METHODS_WITHOUT_TYPES.has(operation)) continue;
    const addWhole = (direction: Claim['direction'], type: string, value: unknown): void => {
      add(direction, operation, type, value);
      for (const [partType, part] of partsOf(value)) add(direction, `${operation}, a part`, partType, part);
    };
    if (kind === 'delivery') {
      addWhole('delivery', deliveryType(operation), request);
      continue;
    }
    const args = isJson(request) ? request : {};
    addWhole('request', argumentType(operation), operation === RESPONSE_URL ? args : typedArguments(args));
    if (operation !== RESPONSE_URL && status === 200) addWhole('response', responseType(operation), response);
  }
  return [...claims.values()];
}

const RESPONSE_URL = 'response_url';
/** Methods that the official client does not have yet (@slack/web-api 8.2.0). What is sent and responded follows the documentation. */
const METHODS_WITHOUT_TYPES: ReadonlySet<string> = new Set(['assistant.search.context']);

/** `WebClient['chat']['postMessage']` for `chat.postMessage`. */
const methodType = (method: string): string =>
  `WebClient${method
    .split('.')
    .map((part) => `['${part}']`)
    .join('')}`;

function argumentType(operation: string): string {
  if (operation === RESPONSE_URL) return 'RespondArguments';
  return `Arguments<${methodType(operation)}>`;
}

const responseType = (operation: string): string => `Response<${methodType(operation)}>`;

/** By the type of an interaction; all else is an event in its envelope. */
const DELIVERIES: Readonly<Record<string, string>> = {
  block_actions: 'Press',
  message_action: 'Shortcut',
  slash_command: 'SlashCommand',
  view_closed: 'Closing',
  view_submission: 'Submission',
};

const deliveryType = (operation: string): string => DELIVERIES[operation] ?? 'Envelope';

/**
 * Blocks, chunks and views by themselves: where messages hold blocks, the official types also allow any object with a `type`.
 */
function partsOf(value: unknown): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap(partsOf);
  if (!isJson(value)) return [];
  const own = Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
    const type = PARTS[key];
    return type !== undefined && Array.isArray(part)
      ? part.map((each): [string, unknown] => [type, each])
      : [];
  });
  return [...own, ...Object.values(value).flatMap(partsOf)];
}

const PARTS: Readonly<Record<string, string>> = { blocks: 'KnownBlock', chunks: 'AnyChunk' };

const isJson = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
