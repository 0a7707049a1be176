import type { Recorder } from '../recorder.ts';
import { applyResponse } from './interaction-responses.ts';
import { type Body, bodyOf } from './body.ts';
import { RefusalError, refuseFaults, ServerFailureError } from './refusal.ts';
import type { Specification } from './spec.ts';
import type { SimulatorContext } from './context.ts';

/** The route that is equivalent to the body of the HTTP response to an interaction. */
export const CALLBACK = 'POST /interactions/{interaction_id}/{interaction_token}/callback';

/** An observer of responses. */
export type Watch = {
  /** Discord's own specification, where it is available. */
  readonly specification?: Specification | undefined;
  readonly record?: Recorder | undefined;
};

/**
 * Processes the body of the app's HTTP response; an empty one means that it used the callback route. Returns a
 * violation, if any.
 */
export async function takeAnswer(
  context: SimulatorContext,
  id: string,
  type: string,
  content: Buffer,
  { specification, record }: Watch = {},
): Promise<unknown> {
  const interaction = context.state.interactions.get(id);
  if (!interaction) return 'unknown';
  if (content.length === 0) return interaction.answered === undefined ? 'empty' : undefined;
  const tell = (body: Body | undefined, status: number): void => {
    const files = body?.uploads.map(({ filename }) => filename) ?? [];
    record?.({
      platform: 'discord',
      kind: 'call',
      operation: CALLBACK,
      request: body?.payload,
      files,
      status,
    });
  };
  let body: Body | undefined;
  try {
    body = await bodyOf(content, type);
    refuseFaults(specification?.request(CALLBACK, body) ?? []);
    applyResponse(context, interaction, body);
    tell(body, 204);
    return undefined;
  } catch (error) {
    tell(body, error instanceof RefusalError ? error.status : 500);
    if (error instanceof RefusalError) return error.body();
    if (error instanceof ServerFailureError) return 'trouble';
    throw error;
  }
}
