import Foundation
import Testing

/// The pages of the cookbook have short recipes, and enough of them. Other tests compile and run their code.
@Suite struct CookbookTests {
    struct Recipe: CustomTestStringConvertible {
        let page: String
        let title: String
        var blocks: [[Substring]] = []

        var testDescription: String { "\(page): \(title)" }
    }

    private static let recipes: [Recipe] = {
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let folder = root.appendingPathComponent("Sources/Tango/Tango.docc/Cookbook")
        let pages = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return pages.filter { $0.hasSuffix(".md") && $0 != "Cookbook.md" }.sorted().flatMap { page in
            let text = (try? String(contentsOf: folder.appendingPathComponent(page), encoding: .utf8)) ?? ""
            return recipes(in: text, of: page)
        }
    }()

    private static func recipes(in text: String, of page: String) -> [Recipe] {
        var recipes: [Recipe] = []
        var isCode = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## ") {
                recipes.append(Recipe(page: page, title: String(line.dropFirst(3))))
            } else if line.hasPrefix("```") {
                isCode = line == "```swift"
                if isCode, !recipes.isEmpty { recipes[recipes.count - 1].blocks.append([]) }
            } else if isCode, !recipes.isEmpty {
                recipes[recipes.count - 1].blocks[recipes[recipes.count - 1].blocks.count - 1].append(line)
            }
        }
        return recipes
    }

    @Test func cookbookHasFortyRecipes() {
        #expect(Self.recipes.count >= 40)
        #expect(Set(Self.recipes.map(\.title)).count == Self.recipes.count)
    }

    @Test(arguments: recipes)
    func recipeHasFewerThanTenLines(_ recipe: Recipe) {
        #expect(!recipe.blocks.isEmpty)
        #expect(recipe.blocks.map(\.count).reduce(0, +) < 10)
    }

    @Test func longRecipesAreFound() {
        let text = "# A\n\n## B\n\n```swift\none\ntwo\n```\n```text\nthree\n```\n\n## C\n"
        let recipes = Self.recipes(in: text, of: "A.md")
        #expect(recipes.map(\.title) == ["B", "C"])
        #expect(recipes.map { $0.blocks.map(\.count) } == [[2], []])
    }
}
