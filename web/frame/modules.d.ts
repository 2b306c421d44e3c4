declare module 'plotly.js-strict-dist-min' {
	interface PlotlyApi {
		react(root: HTMLElement, data: unknown[], layout: object, config: object): Promise<unknown>
		toImage(root: HTMLElement, options: object): Promise<string>
		PlotSchema: { get(): { traces: Record<string, unknown> } }
	}
	const Plotly: PlotlyApi
	export default Plotly
}
