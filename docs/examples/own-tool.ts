import * as v from 'valibot';
import { type ChatTool, ToolError, type ToolSource } from '../../shared/ports/index.ts';

/** What administrators write in the setting `tools`. */
const SOURCE = 'orders';
const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_CHARACTERS = 10_000;

/** Two letters, a hyphen, digits. */
const ORDER_NUMBER = /^[A-Z]{2}-[0-9]{1,8}$/u;
const argumentsSchema = v.object({ order: v.pipe(v.string(), v.regex(ORDER_NUMBER)) });
const orderSchema = v.object({ state: v.string(), arrives: v.optional(v.string()) });

/** Creates the tools of an order service: `GET <baseUrl>/orders/<number>` responds with `{"state": "shipped"}`. */
export const createOrderTools = (baseUrl: string): ToolSource => ({
  names: [SOURCE],
  load: () => Promise.resolve([createOrderTool(baseUrl)]),
});

const createOrderTool = (baseUrl: string): ChatTool => ({
  source: SOURCE,
  definition: {
    name: 'order_status',
    description: 'The state of an order, by its number, such as AB-1234.',
    parameters: {
      type: 'object',
      properties: { order: { type: 'string', pattern: ORDER_NUMBER.source } },
      required: ['order'],
    },
  },
  prepare: (args) => {
    const parsed = v.safeParse(argumentsSchema, args);
    // The model reads this, and can correct its call.
    if (!parsed.success) throw new ToolError('“order” has to be a number such as AB-1234.');
    const { order } = parsed.output;
    return {
      title: `Looking up order ${order}`,
      status: ['answers.status.reading'],
      run: async (signal) => {
        const { state, arrives } = await readOrder(baseUrl, order, signal);
        return {
          content: `Order ${order} is ${state}.${arrives === undefined ? '' : ` It arrives on ${arrives}.`}`,
          summary: state,
        };
      },
    };
  },
});

async function readOrder(
  baseUrl: string,
  order: string,
  signal: AbortSignal,
): Promise<v.InferOutput<typeof orderSchema>> {
  const response = await fetch(new URL(`/orders/${order}`, baseUrl), {
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    redirect: 'error',
  });
  if (response.status === 404) throw new ToolError(`There is no order ${order}.`);
  const text = response.ok ? await response.text() : '';
  const parsed = v.safeParse(
    v.pipe(v.string(), v.maxLength(MAX_RESPONSE_CHARACTERS), v.parseJson(), orderSchema),
    text,
  );
  if (!parsed.success) throw new ToolError('The order service does not work just now.');
  return parsed.output;
}
