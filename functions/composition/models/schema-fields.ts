import type { ChatOptions, CompletionEvent } from '../../../shared/ports/index.ts';
import type { ApiShape, ChatRequest, Model } from '../../../shared/upstream/index.ts';

type Format = NonNullable<ChatOptions['format']>;

/**
 * The fields that request JSON of a schema. Where tools are available but no structured outputs (the features of the model in
 * its list; never in the legacy shape), the schema is that of a tool which the model has to call: its arguments follow the schema
 * more reliably than text that an instruction describes. Stop words and token bias are left out, because they would break the
 * JSON.
 */
export function getSchemaFields(
  { name, schema }: Format,
  model: Pick<Model, 'features'> | undefined,
  shape: ApiShape,
): Partial<ChatRequest> {
  const features = model?.features ?? [];
  const hasSchemas = shape === 'current' && features.includes('structured_outputs');
  const json = { stop: undefined, logitBias: undefined };
  if (!features.includes('tools') || hasSchemas)
    return { ...json, responseFormat: { type: 'json_schema', name, schema, strict: true } };
  const tool = { name, description: 'Receives the answer. Call it once.', parameters: schema };
  return { ...json, tools: [tool], toolChoice: 'required' };
}

/** Makes the arguments of the demanded tool call the text of the answer. Other events stay as they are. */
export function withArgumentsAsText(event: CompletionEvent): CompletionEvent {
  if (event.type !== 'end') return event;
  const { toolCalls: [call] = [], ...answer } = event;
  return call ? { ...answer, text: call.arguments } : event;
}
