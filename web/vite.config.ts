import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// `npx vite` beside `argus serve --demo` shows changes at once.
const server = { proxy: { '/api': process.env.ARGUS_SERVER ?? 'http://127.0.0.1:8080' } }

export default defineConfig({
	plugins: [react(), tailwindcss()],
	server,
	// Nothing inline: the page's policy allows files of its own server only.
	build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false, rolldownOptions: { input: ['index.html', 'shared.html'] } },
})
