// Chains as applications have them: each continues with promises by `next` or `flatMap` and computes with `map`. The flag in
// Package.swift limits the time that the compiler may take for an expression.
import Foundation
import Tango

struct Product: Codable, Sendable { let id: Int, name: String, price: Double, stock: Int, tags: [String] }
struct Order: Codable, Sendable { let id: Int, customer: Int, items: [Int], total: Double }
struct Customer: Codable, Sendable { let id: Int, name: String, email: String, points: Int }

final class GetProduct: Request<Product> {
    let id: Int
    init(_ id: Int) { self.id = id }
    override var endpoint: Endpoint { .get("/products/\(id)") }
}

final class GetOrders: Request<[Order]> {
    let customer: Int
    init(of customer: Int) { self.customer = customer }
    override var endpoint: Endpoint { .get("/orders", query: ["customer": customer]) }
}

final class GetCustomer: Request<Customer> {
    let id: Int
    init(_ id: Int) { self.id = id }
    override var endpoint: Endpoint { .get("/customers/\(id)") }
}

func product(_ id: Int) -> Promise<Product> { GetProduct(id).promise }
func orders(of customer: Customer) -> Promise<[Order]> { GetOrders(of: customer.id).promise }
func customer(_ id: Int) -> Promise<Customer> { GetCustomer(id).promise }

func basket(_ ids: [Int]) -> Promise<String> {
    Promise.all(ids.map { product($0) })
        .map { products in products.filter { $0.stock > 0 } }
        .map { products in products.map(\.price).reduce(0, +) }
        .map { sum in "\(sum) €" }
        .recover { _ in "-" }
}

func loyalty() -> Promise<Int> {
    customer(1)
        .next { customer in orders(of: customer) }
        .map { $0.filter { $0.total > 20 }.count }
        .map { $0 * 10 + 5 }
        .map { min($0, 500) }
        .map { $0 >= 100 ? $0 : 0 }
        .map { -$0 }
}

func counter() -> Promise<Int> {
    Promise(0).map { $0 + 1 }.map { $0 + 2 }.map { $0 + 3 }.map { $0 * 4 }.map { $0 - 5 }.map { $0 / 2 }.map { $0 % 3 }
        .map { $0 + 8 }
}

func temperature() -> Promise<String> {
    Promise(21.5).map { $0 * 9 / 5 }.map { $0 + 32 }.map { $0.rounded() }.map { "\($0) °F" }.map { $0 + "!" }
}

func words() -> Promise<[String]> {
    Promise("the quick brown fox").map { $0.split(separator: " ") }.map { $0.map { $0.capitalized } }
        .map { $0.sorted() }.map { $0.filter { $0.count > 3 } }
}

func newest() -> Promise<String> {
    customer(1)
        .validate { $0.points > 0 && !$0.email.isEmpty }
        .next { orders(of: $0) }
        .map { $0.max { $0.id < $1.id } }
        .map { order in order.map { "\($0.id): \($0.total)" } ?? "none" }
        .timeout(.seconds(10))
        .recover { error in "failed: \(error)" }
}

func invoice() -> Promise<String> {
    Promise.all(customer(1), product(2), product(3))
        .map { customer, first, second in (customer.name, first.price + second.price) }
        .map { name, sum in "\(name) owes \(sum * 1.19)" }
        .map { $0.uppercased() }
}

func related() -> Promise<[Product]> {
    product(1)
        .flatMap { product in Promise.all(product.tags.map { tag in search(tag) }) }
        .map { lists in lists.flatMap { $0 } }
        .map { products in products.sorted { $0.price < $1.price } }
        .map { Array($0.prefix(10)) }
}

func search(_ text: String) -> Promise<[Product]> {
    Promise { try await GetProduct(text.count).promise.value }.map { [$0] }
}

func grouped() -> Promise<[Int: Double]> {
    customer(1)
        .next { orders(of: $0) }
        .map { Dictionary(grouping: $0) { $0.items.count } }
        .map { $0.mapValues { $0.map(\.total).reduce(0, +) } }
        .tap { print($0.count) }
        .map { $0.filter { $0.value > 1 } }
}

func either() -> Promise<String> {
    customer(1)
        .map { $0.name }
        .then({ $0 + "!" }, { "\($0)" })
        .next { name in customer(name.count) }
        .recover { _ in customer(0) }
        .map { "\($0.name) <\($0.email)>" }
}

func mirrors() -> Promise<Product> {
    Promise.any(product(1), product(2)).timeout(.seconds(3))
        .recover { _ in Promise.race([product(3), product(4)]) }
        .next { found in product(found.id + 1) }
        .validate { $0.price > 0 }
}

func insistent() -> Promise<Int> {
    Promise.retry(3, backoff: .exponential(jitter: 0.2), if: RequestError.isRetryable) { attempt in product(attempt) }
        .map { $0.stock }
        .map { $0 > 0 ? $0 - 1 : 0 }
        .catch(RequestError.self) { error in print(error.message) }
        .map { $0 * 2 + 1 }
}

func settled() -> Promise<String> {
    Promise.allSettled([1, 2, 3].map { product($0) })
        .map { results in results.compactMap { try? $0.get() } }
        .map { products in products.map(\.name).joined(separator: ", ") }
        .map { $0.isEmpty ? "nothing" : $0 }
        .finally { print("done") }
}

func branches() -> Promise<String> {
    customer(1)
        .next { customer -> Promise<[Order]> in
            guard customer.points > 10 else { return Promise([]) }
            return orders(of: customer)
        }
        .map { orders in
            var best = 0.0
            for order in orders where order.items.count > 1 { best = max(best, order.total) }
            return best
        }
        .map { $0 > 0 ? "best: \($0)" : "none" }
}

func flags() -> Promise<Bool> {
    customer(1).map { $0.points > 3 && $0.name.count > 2 }.map { !$0 }
        .next { isNew in customer(isNew ? 2 : 3) }.map { $0.points % 2 == 0 }
}

@MainActor final class Shop {
    var title = ""
    var sum = 0.0
    func show() {
        customer(1)
            .next { orders(of: $0) }
            .map(on: .main) { orders in
                self.title = "\(orders.count) orders"
                self.sum = orders.map(\.total).reduce(0, +)
                return orders.count
            }
            .next(on: .task) { count in try await customer(count).value }
            .map(on: .background) { $0.name.uppercased() }
            .next(on: .main) { self.title += $0 }
            .catch(RequestError.self, on: .main) { self.title = $0.message }
    }
}
