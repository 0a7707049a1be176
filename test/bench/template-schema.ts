import * as v from 'valibot';

/** Returns a schema for a CloudFormation template, with those properties of its resources that are read. */
export const createTemplateSchema = <const Properties extends v.ObjectEntries>(properties: Properties) =>
  v.object({
    Resources: v.record(
      v.string(),
      v.object({ Type: v.string(), Properties: v.optional(v.object(properties)) }),
    ),
  });
