import { expect, test } from 'vitest'
import { surface } from '../../src/surface.ts'

test.each(surface.templates.map((template) => [template.uriTemplate, template] as const))(
  '%s is a call that its tool takes as it is',
  (uri, { name, tool: toolName, args, suggest, description }) => {
    expect(uri).toMatch(/^tracegate:\/\/[a-z]+(?:-[a-z]+)*(?:\/(?:\{[a-z]+\}|[a-z]+(?:-[a-z]+)*))+$/)
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/)
    const tool = surface.tools.find((one) => one.name === toolName)
    expect(tool?.effect).toBe('read')
    expect(description).toContain(toolName)
    const variables = [...uri.matchAll(/\{([a-z]+)\}/g)].map(([, variable = '']) => variable)
    expect(Object.keys(suggest)).toEqual(variables)
    const given = args(Object.fromEntries(variables.map((variable) => [variable, 'SHOP-31'])))
    expect(tool?.input.safeParse(given).error).toBeUndefined()
  },
)

test('no two templates have the same name or could be the same address', () => {
  expect(new Set(surface.templates.map(({ name }) => name)).size).toBe(surface.templates.length)
  const shapes = surface.templates.map(({ uriTemplate }) => uriTemplate.replaceAll(/\{[a-z]+\}/g, '{}'))
  expect(new Set(shapes).size).toBe(shapes.length)
})
